import OzuBase
import OzuImaging

/// The light levels in the properties of a HEIF or AVIF file's picture (ISO/IEC 14496-12 §12.1.5: `clli` and
/// `mdcv`; ISO/IEC 23008-12 §9.3 for the binding of properties to pictures).
///
/// Read here, because no library version in use returns both of them.
package enum HEIFLightLevels {
  /// `nil` if there are none.
  package static func find(in file: Span<UInt8>) -> LightLevels? {
    guard let box = HEIFBoxList(file, in: 0..<file.count).first("meta") else { return nil }
    let items = HEIFItems(file, meta: HEIFBoxList(file, in: box.fullContent))
    guard let primary = items.primary else { return nil }
    var levels = LightLevels()
    for property in items.properties(of: primary.id) {
      let start = property.content.lowerBound
      if property.name == "clli" {
        levels.maximumContent = file.bigEndian(at: start, bytes: 2).map(Double.init)
        levels.maximumAverage = file.bigEndian(at: start + 2, bytes: 2).map(Double.init)
        levels.forgetUnknownAverage()
      } else if property.name == "mdcv" {
        levels.readMasteringDisplay(file.extracting(property.content), at: 0, .greenFirst)
      }
    }
    return levels == LightLevels() ? nil : levels
  }
}

extension HEIFLightLevels {
  /// The same file with light levels among the properties of its picture, because libavif before 1.0 cannot write
  /// them.
  ///
  /// They are stored in boxes after the others in `ipco`, and bound to the picture by indices after the others in
  /// `ipma`. Everything after the `meta` box moves by the same number of bytes, so the offsets in `iloc` are
  /// changed. `nil` if there is nothing to write, or if the file has another structure than libavif writes: the
  /// original file is still valid then.
  package static func adding(_ levels: LightLevels, to data: Data) -> Data? {
    var added: [[UInt8]] = []
    if let content = levels.contentLevels(bytes: 2, units: 1) { added.append(box("clli", content)) }
    if let display = levels.masteringDisplay(.greenFirst) { added.append(box("mdcv", display)) }
    guard !added.isEmpty else { return nil }
    let file = data.span
    guard let meta = HEIFBoxList(file, in: 0..<file.count).first("meta") else { return nil }
    let boxes = HEIFBoxList(file, in: meta.fullContent)
    guard let properties = boxes.first("iprp"), let locations = boxes.first("iloc"),
      let primary = HEIFItems(file, meta: boxes).primary
    else { return nil }
    let tables = HEIFBoxList(file, in: properties.content)
    guard let container = tables.first("ipco"), let associations = tables.first("ipma"),
      let entry = entry(of: primary.id, file, associations)
    else { return nil }
    let numbers = HEIFBoxList(file, in: container.content).boxes.count
    guard numbers + added.count <= 0x7F else { return nil }
    var result = [UInt8](data)
    let boxBytes = added.flatMap { $0 }
    let growth = boxBytes.count + added.count
    guard move(locations, after: meta.content.upperBound, by: growth, file, in: &result),
      [
        (meta, growth), (properties, growth), (container, boxBytes.count), (associations, added.count),
      ].allSatisfy({ grow($0.0, by: $0.1, in: &result) }),
      result[entry.count] <= UInt8.max - UInt8(added.count)
    else { return nil }
    result[entry.count] += UInt8(added.count)
    // None of them is essential: readers may ignore them.
    let bound = (1...added.count).map { UInt8(numbers + $0) }
    // From the end, so that earlier offsets do not change.
    for (place, bytes) in [(entry.end, bound), (container.content.upperBound, boxBytes)].sorted(by: {
      $0.0 > $1.0
    }) {
      result.insert(contentsOf: bytes, at: place)
    }
    return Data(result)
  }

  private static func box(_ name: StaticString, _ content: [UInt8]) -> [UInt8] {
    [0, 0, 0, UInt8(8 + content.count)] + name.withUTF8Buffer { [UInt8]($0) } + content
  }

  /// The place of the number of an item's properties, and the end of their list, in a table with one byte for each.
  private static func entry(
    of item: Int, _ file: Span<UInt8>, _ table: HEIFBox
  ) -> (count: Int, end: Int)? {
    guard file.bigEndian(at: table.content.lowerBound, bytes: 4) == 0 else { return nil }
    var reader = HEIFReader(table.fullContent)
    guard let entries = reader.take(4, from: file) else { return nil }
    for _ in 0..<entries {
      guard let id = reader.take(2, from: file), let count = reader.skip(1),
        let numbers = file.byte(at: count.lowerBound), let places = reader.skip(Int(numbers))
      else { return nil }
      if id == item { return (count.lowerBound, places.upperBound) }
    }
    return nil
  }

  /// Increases the length of a box; `false` if it is not a length of 32 bits.
  private static func grow(_ box: HEIFBox, by count: Int, in bytes: inout [UInt8]) -> Bool {
    let place = box.content.lowerBound - 8
    guard place >= 0, word(at: place, in: bytes) == box.content.count + 8 else { return false }
    return setWord(box.content.count + 8 + count, at: place, in: &bytes)
  }

  /// Moves the offsets of items after a place; `false` if the table is not of version 0 with offsets of 32 bits and
  /// no base.
  private static func move(
    _ table: HEIFBox, after end: Int, by distance: Int, _ file: Span<UInt8>, in bytes: inout [UInt8]
  ) -> Bool {
    guard file.bigEndian(at: table.content.lowerBound, bytes: 4) == 0 else { return false }
    var reader = HEIFReader(table.fullContent)
    guard reader.take(2, from: file) == 0x4400, let items = reader.take(2, from: file) else { return false }
    for _ in 0..<items {
      guard reader.skip(4) != nil, let parts = reader.take(2, from: file) else { return false }
      for _ in 0..<parts {
        guard let place = reader.skip(4), reader.skip(4) != nil else { return false }
        let offset = word(at: place.lowerBound, in: bytes)
        guard offset >= end, setWord(offset + distance, at: place.lowerBound, in: &bytes) else {
          return false
        }
      }
    }
    return true
  }

  private static func word(at place: Int, in bytes: [UInt8]) -> Int {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  private static func setWord(_ value: Int, at place: Int, in bytes: inout [UInt8]) -> Bool {
    guard let word = UInt32(exactly: value) else { return false }
    for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * index)) }
    return true
  }
}
