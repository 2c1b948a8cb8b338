/// A checksum of 64 bits for many bytes: four sums in parallel, with a multiplication for each word (as FNV-1a does for bytes).
///
/// It distinguishes the files of one process. It does not resist files that were made to have the same sum.
enum WordChecksum {
  /// - Complexity: O(bytes), several bytes in each cycle.
  static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let factor: UInt64 = 0xFF51_AFD7_ED55_8CCD
    var sums = SIMD4<UInt64>(0x9E37_79B9_7F4A_7C15, 0xCBF2_9CE4_8422_2325, 0xC4CE_B9FE_1A85_EC53, 1)
    var position = 0
    // The loop's condition keeps each load of 32 bytes inside the buffer.
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
