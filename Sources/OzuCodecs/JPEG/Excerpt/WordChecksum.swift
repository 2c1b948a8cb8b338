/// A checksum of 64 bits of many bytes: four sums side by side, each word multiplied in (as FNV-1a does with bytes).
///
/// For telling files of one process apart, not for files that somebody made to have one sum.
enum WordChecksum {
  /// - Complexity: O(bytes), a few of them a cycle.
  static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let factor: UInt64 = 0xFF51_AFD7_ED55_8CCD
    var sums = SIMD4<UInt64>(0x9E37_79B9_7F4A_7C15, 0xCBF2_9CE4_8422_2325, 0xC4CE_B9FE_1A85_EC53, 1)
    var position = 0
    // Loads of 32 bytes that lie inside, by the loop's condition.
    while position + 32 <= bytes.count {
      let words = bytes.loadUnaligned(fromByteOffset: position, as: SIMD4<UInt64>.self)
      sums = (sums ^ words) &* SIMD4(repeating: factor)
      sums ^= sums &>> SIMD4(repeating: 29)
      position += 32
    }
    var sum = UInt64(bytes.count)
    for index in 0..<4 {
      sum = (sum ^ sums[index]) &* factor
      sum ^= sum >> 32
    }
    for byte in bytes[position...] {
      sum = (sum ^ UInt64(byte)) &* factor
      sum ^= sum >> 32
    }
    return sum
  }
}
