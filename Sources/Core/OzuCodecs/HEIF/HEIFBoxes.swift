/// The four letters of a box type (ISO/IEC 14496-12), or of an item type.
package struct BoxName: Hashable, Sendable, ExpressibleByStringLiteral {
  let value: Int

  package init(stringLiteral letters: StaticString) {
    precondition(letters.utf8CodeUnitCount == 4, "four letters")
    value = letters.withUTF8Buffer { $0.reduce(0) { $0 << 8 | Int($1) } }
  }

  init(_ value: Int) { self.value = value }
}

/// A box (ISO/IEC 14496-12 §4.2). It lies wholly inside the box that contains it.
struct HEIFBox: Sendable {
  let name: BoxName
  let content: Range<Int>

  /// The content of a box that begins with a version and flags.
  var fullContent: Range<Int> { min(content.lowerBound + 4, content.upperBound)..<content.upperBound }
}

/// The boxes in some bytes, one after the other, up to the first that is not complete.
struct HEIFBoxList {
  private static let mostBoxes = 65_536

  private(set) var boxes: [HEIFBox] = []
  /// The bytes after the last complete box. No reader may find a box in them.
  private(set) var rest: Range<Int>

  init(_ file: Span<UInt8>, in range: Range<Int>) {
    rest = range
    while boxes.count < Self.mostBoxes, let box = Self.box(file, in: rest) {
      boxes.append(box)
      rest = box.content.upperBound..<range.upperBound
    }
  }

  func first(_ name: BoxName) -> HEIFBox? { boxes.first { $0.name == name } }

  private static func box(_ file: Span<UInt8>, in range: Range<Int>) -> HEIFBox? {
    guard range.count >= 8, let length = file.bigEndian(at: range.lowerBound, bytes: 4),
      let name = file.bigEndian(at: range.lowerBound + 4, bytes: 4)
    else { return nil }
    var head = 8
    var byteCount = length
    if length == 0 {
      byteCount = range.count
    } else if length == 1 {
      // A length of 64 bits. Lengths of more than 48 bits are longer than any file.
      guard range.count >= 16, file.bigEndian(at: range.lowerBound + 8, bytes: 2) == 0,
        let long = file.bigEndian(at: range.lowerBound + 10, bytes: 6)
      else { return nil }
      head = 16
      byteCount = long
    }
    guard byteCount >= head, byteCount <= range.count else { return nil }
    return HEIFBox(
      name: BoxName(name), content: range.lowerBound + head..<range.lowerBound + byteCount)
  }
}

/// Reads integers one after the other from a part of a file, never beyond its end.
struct HEIFReader {
  private(set) var rest: Range<Int>

  init(_ range: Range<Int>) { rest = range }

  /// The next integer of `count` bytes, at most 4; `nil` at the end.
  mutating func take(_ count: Int, from file: Span<UInt8>) -> Int? {
    guard count <= rest.count, let value = file.bigEndian(at: rest.lowerBound, bytes: count) else {
      return nil
    }
    rest = rest.lowerBound + count..<rest.upperBound
    return value
  }

  /// The same for 0, 4 or 8 bytes; also `nil` if the number needs more than 48 bits, which no valid offset does.
  mutating func takeLong(_ count: Int, from file: Span<UInt8>) -> Int? {
    guard count == 8 else { return take(count, from: file) }
    guard take(2, from: file) == 0, let high = take(2, from: file), let low = take(4, from: file) else {
      return nil
    }
    return high << 32 | low
  }

  /// Skips `count` bytes and returns their range; `nil` if there are fewer.
  mutating func skip(_ count: Int) -> Range<Int>? {
    guard count <= rest.count else { return nil }
    let skipped = rest.lowerBound..<rest.lowerBound + count
    rest = skipped.upperBound..<rest.upperBound
    return skipped
  }
}
