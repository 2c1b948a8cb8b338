// Reads integers from untrusted files. Every access is checked and returns nil outside, so a parser cannot read
// past the end or trap, whatever offsets the file declares.

extension Span where Element == UInt8 {
  /// The byte at an offset; `nil` outside.
  package func byte(at offset: Int) -> UInt8? {
    offset >= 0 && offset < count ? self[offset] : nil
  }

  /// The integer of `bytes` bytes, most significant first; `nil` if it does not lie wholly inside.
  ///
  /// - Precondition: at most 7 bytes.
  package func bigEndian(at offset: Int, bytes: Int) -> Int? {
    guard contains(offset: offset, byteCount: bytes) else { return nil }
    var value = 0
    for i in 0..<bytes { value = value << 8 | Int(self[offset + i]) }
    return value
  }

  /// The integer of `bytes` bytes, least significant first; `nil` if it does not lie wholly inside.
  ///
  /// - Precondition: at most 7 bytes.
  package func littleEndian(at offset: Int, bytes: Int) -> Int? {
    guard contains(offset: offset, byteCount: bytes) else { return nil }
    var value = 0
    for i in (0..<bytes).reversed() { value = value << 8 | Int(self[offset + i]) }
    return value
  }

  package func hasBytes(_ text: StaticString, at offset: Int) -> Bool {
    guard contains(offset: offset, byteCount: text.utf8CodeUnitCount) else { return false }
    return text.withUTF8Buffer { wanted in
      for i in 0..<wanted.count where self[offset + i] != wanted[i] { return false }
      return true
    }
  }

  /// A copy of some bytes, cut at the end of the span.
  package func copy(from offset: Int, byteCount: Int) -> [UInt8] {
    guard offset >= 0, offset < count, byteCount > 0 else { return [] }
    let taken = Swift.min(byteCount, count - offset)
    return [UInt8](unsafeUninitializedCapacity: taken) { buffer, initializedCount in
      for i in 0..<taken { buffer.initializeElement(at: i, to: self[offset + i]) }
      initializedCount = taken
    }
  }

  private func contains(offset: Int, byteCount: Int) -> Bool {
    offset >= 0 && offset <= count && byteCount <= count - offset
  }
}

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
