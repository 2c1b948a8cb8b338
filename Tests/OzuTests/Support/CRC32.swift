/// The checksum of PNG chunks (ISO 3309), for tests that change one.
enum CRC32 {
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var crc = ~UInt32(0)
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
