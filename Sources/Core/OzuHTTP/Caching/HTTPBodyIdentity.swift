import OzuBase

/// Tells bodies apart by 128 bits of a fast hash and the length. It detects changes, not forgeries.
///
/// It takes a body whole or in pieces; the sizes of the pieces make no difference.
struct HTTPBodyIdentity {
  private var first: UInt64 = 0x9E37_79B9_7F4A_7C15
  private var second: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private var byteCount = 0
  /// Bytes that do not fill a word yet, the first one lowest.
  private var rest: UInt64 = 0
  private var restByteCount = 0

  /// The identity of a whole body.
  static func of(_ body: Data) -> String {
    var identity = HTTPBodyIdentity()
    body.withUnsafeBytes { identity.update($0) }
    return identity.text
  }

  /// Takes the next bytes of the body.
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    byteCount += bytes.count
    var offset = 0
    while restByteCount > 0, offset < bytes.count {
      push(bytes[offset])
      offset += 1
    }
    while offset &+ 8 <= bytes.count {
      mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset &+= 8
    }
    while offset < bytes.count {
      push(bytes[offset])
      offset += 1
    }
  }

  /// The identity of the bytes so far.
  var text: String {
    var last = self
    last.mix(rest)
    last.mix(UInt64(byteCount))
    last.mix(0)
    let numbers = (last.first, last.second, UInt64(byteCount))
    // At most 13 digits each.
    return String(unsafeUninitializedCapacity: 41) { bytes in
      var count = Self.write(numbers.0, to: bytes, at: 0)
      bytes[count] = UInt8(ascii: "-")
      count = Self.write(numbers.1, to: bytes, at: count + 1)
      bytes[count] = UInt8(ascii: "-")
      return Self.write(numbers.2, to: bytes, at: count + 1)
    }
  }

  /// Writes a number in base 36.
  ///
  /// - Returns: the end of the digits.
  private static func write(
    _ number: UInt64, to bytes: UnsafeMutableBufferPointer<UInt8>, at start: Int
  ) -> Int {
    var (end, rest) = (start, number)
    repeat {
      let digit = UInt8(truncatingIfNeeded: rest % 36)
      bytes[end] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
      end += 1
      rest /= 36
    } while rest > 0
    bytes[start..<end].reverse()
    return end
  }

  private mutating func push(_ byte: UInt8) {
    rest |= UInt64(byte) << (8 * UInt64(restByteCount))
    restByteCount += 1
    guard restByteCount == 8 else { return }
    mix(rest)
    (rest, restByteCount) = (0, 0)
  }

  private mutating func mix(_ word: UInt64) {
    first = (first ^ word) &* 0xFF51_AFD7_ED55_8CCD
    first ^= first >> 32
    second = (second &+ word) &* 0xC4CE_B9FE_1A85_EC53
    second = second << 31 | second >> 33
  }
}
