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
