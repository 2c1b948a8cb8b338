/// SHA-1 (FIPS 180-4 §6.1), for files that others name by it. Not for security.
package enum SHA1 {
  private static let blocks = DigestBlocks(byteCount: 64, isBigEndian: true)

  /// The digest of some bytes: 20 bytes.
  ///
  /// - Complexity: O(bytes).
  package static func digest(of message: some Sequence<UInt8>) -> [UInt8] {
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    var schedule = [UInt32](repeating: 0, count: 80)
    blocks.forEach(of: message) { bytes in
      guard let first = bytes.baseAddress else { return }
      for start in stride(from: 0, to: bytes.count, by: 64) { mix(first + start, &schedule, into: &state) }
    }
    return bigEndianBytes(of: state)
  }

  /// - Parameter block: the first of 64 bytes.
  private static func mix(
    _ block: UnsafeRawPointer, _ schedule: inout [UInt32], into state: inout [UInt32]
  ) {
    for i in 0..<16 { schedule[i] = bigEndianWord(of: block, at: i) }
    for i in 16..<80 {
      schedule[i] = rotatedLeft(schedule[i - 3] ^ schedule[i - 8] ^ schedule[i - 14] ^ schedule[i - 16], 1)
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for i in 0..<80 {
      let (mixed, constant): (UInt32, UInt32) =
        switch i / 20 {
        case 0: ((b & c) ^ (~b & d), 0x5A82_7999)
        case 1: (b ^ c ^ d, 0x6ED9_EBA1)
        case 2: ((b & c) ^ (b & d) ^ (c & d), 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let sum = rotatedLeft(a, 5) &+ mixed &+ e &+ constant &+ schedule[i]
      (e, d, c, b, a) = (d, c, rotatedLeft(b, 30), a, sum)
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
    state[4] &+= e
  }
}
