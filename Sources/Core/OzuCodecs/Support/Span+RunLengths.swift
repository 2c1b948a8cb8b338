extension Span where Element == UInt8 {
  /// Undoes run lengths of bytes, as in PackBits and in icons: a code below 128 is followed by that many bytes and one more, any
  /// other by one byte that is repeated.
  ///
  /// - Parameters:
  ///   - position: the place of the first code; afterwards the place behind the last.
  ///   - count: how many bytes are wanted. The last code may make more.
  ///   - repeats: how often a code from 128 repeats its byte; 0 for a code without a byte.
  /// - Returns: the bytes; `nil` if the span ends before there are enough.
  func unpacked(from position: inout Int, count: Int, repeats: (Int) -> Int) -> [UInt8]? {
    var values: [UInt8] = []
    values.reserveCapacity(count)
    while values.count < count {
      guard let code = byte(at: position) else { return nil }
      position += 1
      if code < 128 {
        values += copy(from: position, byteCount: Int(code) + 1)
        position += Int(code) + 1
      } else if case let repetitions = repeats(Int(code)), repetitions > 0 {
        guard let value = byte(at: position) else { return nil }
        values += repeatElement(value, count: repetitions)
        position += 1
      }
    }
    return values
  }
}
