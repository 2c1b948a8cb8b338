/// CRC-32 as gzip and PNG have it (RFC 1952 §8; W3C PNG, third edition, §5.5), a byte at a time: for few bytes, and for
/// where no C library may read them.
package enum CRC32 {
  private static let table = (UInt32(0)..<256).map { index in
    var sum = index
    for _ in 0..<8 { sum = (sum >> 1) ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
    return sum
  }

  /// The checksum of some bytes.
  package static func of(_ bytes: [UInt8]) -> UInt32 {
    let table = table
    var sum = ~UInt32(0)
    for byte in bytes { sum = (sum >> 8) ^ table[Int((sum ^ UInt32(byte)) & 0xFF)] }
    return ~sum
  }
}
