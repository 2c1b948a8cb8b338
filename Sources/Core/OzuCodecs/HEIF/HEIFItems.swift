import OzuImaging

/// The items of a HEIF file: the kind, the place and the properties of each (ISO/IEC 14496-12 §8.11, ISO/IEC
/// 23008-12 §9.3). The tables are read once, so that a long table costs only its length.
struct HEIFItems {
  struct Item {
    let id: Int
    let kind: BoxName
    /// The offset of its flags; the lowest bit hides the item.
    let flagsOffset: Int
    /// Its name, and for some kinds the type of its content.
    let names: Range<Int>
  }

  struct Property: Sendable {
    let box: HEIFBox
    /// Whether a reader that does not know the property must not show the item.
    let isEssential: Bool
  }

  struct Reference {
    let kind: BoxName
    let from: Int
    let to: [Int]
  }

  enum Location {
    /// Its parts in the file, in their order. Together they have no more bytes than the file.
    case parts([Range<Int>])
    /// None: no entry names it.
    case absent
    /// One of its parts ends after the end of the file. No reader can read it.
    case beyond
    /// Two places, or a place that readers interpret differently: it is unknown which bytes a library reads.
    case invalid
  }

  let items: [Item]
  /// The item that is the picture, and the place of its number.
  let primary: (id: Int, place: Range<Int>)?
  /// The boxes of all properties. Items refer to them by index, counted from 1.
  let properties: [HEIFBox]
  private let referenceTable: HEIFBox?
  private let associations: [Int: [Association]]
  /// `nil` if the table is missing, truncated, or of an unknown version.
  private let locations: [Int: Location]?

  /// The index of a property, counted from 1.
  private typealias Association = (index: Int, isEssential: Bool)

  init(_ file: Span<UInt8>, meta: HEIFBoxList) {
    items = meta.first("iinf").map { Self.items(file, $0) } ?? []
    primary = meta.first("pitm").flatMap { Self.primary(file, $0) }
    referenceTable = meta.first("iref")
    let properties = meta.first("iprp").map { HEIFBoxList(file, in: $0.content) }
    self.properties = properties?.first("ipco").map { HEIFBoxList(file, in: $0.content).boxes } ?? []
    associations = (properties?.boxes ?? []).filter { $0.name == "ipma" }.reduce(into: [:]) { found, table in
      Self.readAssociations(file, table, into: &found)
    }
    locations = meta.first("iloc").flatMap { Self.locations(file, $0, data: meta.first("idat")?.content) }
  }

  /// The boxes of an item's properties, in the order in which it refers to them.
  func properties(of item: Int) -> [HEIFBox] { bindings(of: item).map(\.box) }

  /// The properties of an item, in the order in which it refers to them.
  func bindings(of item: Int) -> [Property] {
    (associations[item] ?? []).compactMap { association in
      guard properties.indices.contains(association.index - 1) else { return nil }
      return Property(box: properties[association.index - 1], isEssential: association.isEssential)
    }
  }

  /// The properties that turn, mirror or crop. They are applied in their order.
  static let transforms: Set<BoxName> = ["irot", "imir", "clap"]

  /// The size of an item before it is turned or cropped (ISO/IEC 23008-12 §6.5.3).
  func storedSize(of item: Int, _ file: Span<UInt8>) -> PixelSize? {
    guard let size = properties(of: item).first(where: { $0.name == "ispe" })?.fullContent.lowerBound,
      let width = file.bigEndian(at: size, bytes: 4), let height = file.bigEndian(at: size + 4, bytes: 4)
    else { return nil }
    return PixelSize(width, height)
  }

  /// Whether a property that turns or crops is bound to an item without the flag that readers must apply it (ISO/IEC
  /// 23000-22 §7.3.9).
  var hasOptionalTransform: Bool {
    associations.keys.contains { item in
      bindings(of: item).contains { Self.transforms.contains($0.box.name) && !$0.isEssential }
    }
  }

  /// The part of an item's stored picture that is shown, and how it is turned, wherever its size is among its
  /// properties.
  func area(of item: Int, _ file: Span<UInt8>) -> HEIFArea {
    var area = HEIFArea(storedSize(of: item, file) ?? PixelSize(0, 0))
    for property in properties(of: item) { area.apply(property, file) }
    return area
  }

  func location(of item: Int) -> Location {
    guard let locations else { return .invalid }
    return locations[item] ?? .absent
  }

  /// The first bytes of an item, at most `count`; `nil` if it is not in the file.
  func bytes(_ file: Span<UInt8>, of item: Int, atMost count: Int) -> [UInt8]? {
    guard case .parts(let parts) = location(of: item) else { return nil }
    var bytes: [UInt8] = []
    for part in parts where bytes.count < count {
      bytes += file.copy(from: part.lowerBound, byteCount: min(part.count, count - bytes.count))
    }
    return bytes
  }

  func references(_ file: Span<UInt8>) -> [Reference] {
    guard let referenceTable else { return [] }
    let width = file.byte(at: referenceTable.content.lowerBound) == 0 ? 2 : 4
    return HEIFBoxList(file, in: referenceTable.fullContent).boxes.compactMap { box in
      var reader = HEIFReader(box.content)
      guard let from = reader.take(width, from: file), let count = reader.take(2, from: file) else {
        return nil
      }
      return Reference(
        kind: box.name, from: from, to: (0..<count).compactMap { _ in reader.take(width, from: file) })
    }
  }

  private static func primary(_ file: Span<UInt8>, _ box: HEIFBox) -> (id: Int, place: Range<Int>)? {
    var reader = HEIFReader(box.fullContent)
    let width = file.byte(at: box.content.lowerBound) == 0 ? 2 : 4
    return reader.take(width, from: file).map { id in
      (id, box.fullContent.lowerBound..<box.fullContent.lowerBound + width)
    }
  }

  private static func items(_ file: Span<UInt8>, _ table: HEIFBox) -> [Item] {
    var reader = HEIFReader(table.fullContent)
    guard reader.skip(file.byte(at: table.content.lowerBound) == 0 ? 2 : 4) != nil else { return [] }
    return HEIFBoxList(file, in: reader.rest).boxes.compactMap { entry in
      // Versions before 2 have no kind.
      guard entry.name == "infe", let version = file.byte(at: entry.content.lowerBound), version >= 2 else {
        return nil
      }
      var reader = HEIFReader(entry.fullContent)
      guard let id = reader.take(version == 2 ? 2 : 4, from: file), reader.skip(2) != nil,
        let kind = reader.take(4, from: file)
      else { return nil }
      return Item(
        id: id, kind: BoxName(kind), flagsOffset: entry.content.lowerBound + 3, names: reader.rest)
    }
  }

  /// Adds the properties of each item. If an item is named twice, the first entry counts.
  private static func readAssociations(
    _ file: Span<UInt8>, _ table: HEIFBox, into found: inout [Int: [Association]]
  ) {
    guard let version = file.byte(at: table.content.lowerBound),
      let flags = file.byte(at: table.content.lowerBound + 3)
    else { return }
    var reader = HEIFReader(table.fullContent)
    let width = flags & 1 == 0 ? 1 : 2
    let essential = width == 1 ? 0x80 : 0x8000
    guard let count = reader.take(4, from: file) else { return }
    for _ in 0..<count {
      guard let item = reader.take(version == 0 ? 2 : 4, from: file), let entries = reader.take(1, from: file)
      else { return }
      let properties = (0..<entries).compactMap { _ in
        reader.take(width, from: file).map { Association($0 & (essential - 1), $0 & essential != 0) }
      }
      if found[item] == nil { found[item] = properties }
    }
  }

  private static func locations(_ file: Span<UInt8>, _ table: HEIFBox, data: Range<Int>?) -> [Int: Location]?
  {
    guard let version = file.byte(at: table.content.lowerBound), version <= 2 else { return nil }
    var reader = HEIFReader(table.fullContent)
    guard let sizes = reader.take(2, from: file), let count = reader.take(version < 2 ? 2 : 4, from: file)
    else {
      return nil
    }
    let offsetSize = sizes >> 12, lengthSize = sizes >> 8 & 15, baseSize = sizes >> 4 & 15
    let indexSize = version == 0 ? 0 : sizes & 15
    for size in [offsetSize, lengthSize, baseSize, indexSize] where ![0, 4, 8].contains(size) { return nil }
    // libheif 1.15 reads no indices in version 1, whatever the table declares, and so reads the rest of it at other
    // places.
    guard version != 1 || indexSize == 0 else { return nil }
    let partSize = indexSize + offsetSize + lengthSize
    var found: [Int: Location] = [:]
    for _ in 0..<count {
      guard let item = reader.take(version < 2 ? 2 : 4, from: file),
        let method = version == 0 ? 0 : reader.take(2, from: file).map({ $0 & 15 }), reader.skip(2) != nil,
        let base = reader.takeLong(baseSize, from: file), let partCount = reader.take(2, from: file),
        let table = reader.skip(partCount * partSize)
      else { return nil }
      let around = method == 0 ? 0..<file.count : method == 1 ? data : nil
      // Parts without any bytes in the table could be unlimited in number.
      guard partSize > 0, let around, found[item] == nil else {
        found[item] = .invalid
        continue
      }
      // From a box, libheif 1.15 returns up to eight bytes after its end; from a file it does not.
      found[item] = location(
        file, table, (index: indexSize, offset: offsetSize, length: lengthSize), base, inside: around,
        beyond: method == 0 ? .beyond : .invalid)
    }
    return found
  }

  /// Reads the parts of an item.
  ///
  /// - Parameter beyond: the result for a part that ends outside.
  private static func location(
    _ file: Span<UInt8>, _ table: Range<Int>, _ sizes: (index: Int, offset: Int, length: Int), _ base: Int,
    inside around: Range<Int>, beyond: Location
  ) -> Location {
    var reader = HEIFReader(table)
    var parts: [Range<Int>] = []
    var left = file.count
    while !reader.rest.isEmpty {
      // The value of an index is not needed here.
      guard reader.skip(sizes.index) != nil else { return .invalid }
      guard let offset = reader.takeLong(sizes.offset, from: file), base + offset <= around.count,
        let length = reader.takeLong(sizes.length, from: file), length <= around.count - base - offset
      else { return beyond }
      guard length <= left else { return .invalid }
      left -= length
      let start = around.lowerBound + base + offset
      parts.append(start..<start + length)
    }
    return .parts(parts)
  }
}
