import OzuImaging

/// The light levels among the properties of a HEIF or AVIF file's picture (ISO/IEC 14496-12 §12.1.5: `clli` and `mdcv`;
/// ISO/IEC 23008-12 §9.3 for which property belongs to which picture).
///
/// Read here, because no library that is in use hands both of them out.
package enum HEIFLightLevels {
  /// Boxes that are looked at on one level, and properties of a picture.
  private static let mostBoxes = 4096

  /// `nil` when there are none.
  package static func find(in file: Span<UInt8>) -> LightLevels? {
    guard let meta = box("meta", in: file, 0..<file.count),
      let properties = box("iprp", in: file, content(meta, skipping: 4)),
      let container = box("ipco", in: file, content(properties)),
      let primary = primaryItem(file, meta)
    else { return nil }
    var levels = LightLevels()
    let boxes = self.boxes(in: file, content(container))
    for index in associations(file, properties, of: primary) where boxes.indices.contains(index - 1) {
      let (name, range) = boxes[index - 1]
      if name == "clli" {
        levels.maximumContent = file.bigEndian(at: range.lowerBound + 8, bytes: 2).map(Double.init)
        levels.maximumAverage = file.bigEndian(at: range.lowerBound + 10, bytes: 2).map(Double.init)
      } else if name == "mdcv" {
        // Three primaries and white of two words each stand before the peak, in units of 0.0001.
        levels.masteringPeak = file.bigEndian(at: range.lowerBound + 24, bytes: 4).map { Double($0) / 10_000 }
      }
    }
    return levels == LightLevels() ? nil : levels
  }

  private static func content(_ box: Range<Int>, skipping count: Int = 0) -> Range<Int> {
    min(box.lowerBound + 8 + count, box.upperBound)..<box.upperBound
  }

  private static func boxes(in file: Span<UInt8>, _ range: Range<Int>) -> [(name: String, range: Range<Int>)]
  {
    var found: [(String, Range<Int>)] = []
    var position = range.lowerBound
    while found.count < mostBoxes, position + 8 <= range.upperBound,
      let length = file.bigEndian(at: position, bytes: 4)
    {
      // A length of 0 means to the end; those of 64 bits are for boxes that hold none of these.
      let end = length == 0 ? range.upperBound : position + length
      guard length == 0 || length >= 8, end <= range.upperBound else { break }
      found.append(
        (String(decoding: file.copy(from: position + 4, byteCount: 4), as: UTF8.self), position..<end))
      position = end
    }
    return found
  }

  private static func box(_ name: String, in file: Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
    boxes(in: file, range).first { $0.name == name }?.range
  }

  private static func primaryItem(_ file: Span<UInt8>, _ meta: Range<Int>) -> Int? {
    guard let box = box("pitm", in: file, content(meta, skipping: 4)) else { return nil }
    return file.bigEndian(at: box.lowerBound + 12, bytes: file.byte(at: box.lowerBound + 8) == 0 ? 2 : 4)
  }

  /// The numbers of the properties of an item, from 1 on.
  private static func associations(_ file: Span<UInt8>, _ properties: Range<Int>, of item: Int) -> [Int] {
    guard let box = box("ipma", in: file, content(properties)),
      let version = file.byte(at: box.lowerBound + 8), let flags = file.byte(at: box.lowerBound + 11),
      let count = file.bigEndian(at: box.lowerBound + 12, bytes: 4)
    else { return [] }
    let width = flags & 1 == 0 ? 1 : 2
    let numberWidth = version == 0 ? 2 : 4
    var position = box.lowerBound + 16
    for _ in 0..<min(count, mostBoxes) {
      guard position < box.upperBound, let own = file.bigEndian(at: position, bytes: numberWidth),
        let entries = file.byte(at: position + numberWidth)
      else { return [] }
      position += numberWidth + 1
      if own == item {
        return (0..<Int(entries)).compactMap { entry in
          file.bigEndian(at: position + entry * width, bytes: width).map { $0 & (width == 1 ? 0x7F : 0x7FFF) }
        }
      }
      position += Int(entries) * width
    }
    return []
  }
}
