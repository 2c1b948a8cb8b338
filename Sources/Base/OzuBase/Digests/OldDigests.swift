/// The digest MD5 (RFC 1321), by which the shared cache of thumbnails names its files, and by which Photoshop tells whether
/// IPTC-IIM was changed. Not for security.
package enum MD5 {
  private static let blocks = DigestBlocks(byteCount: 64, isBigEndian: false)

  /// The digest of some bytes, as 32 hexadecimal digits in lower case.
  ///
  /// - Complexity: O(bytes).
  package static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String { digest(bytes).hexadecimal }

  /// The 16 bytes of the digest.
  ///
  /// - Complexity: O(bytes).
  package static func digest(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var state = SIMD4<UInt32>(0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476)
    blocks.forEach(of: bytes) { bytes in
      guard let first = bytes.baseAddress else { return }
      for start in stride(from: 0, to: bytes.count, by: 64) { mix(first + start, into: &state) }
    }
    return bigEndianBytes(of: (0..<4).map { state[$0].byteSwapped })
  }

  /// - Parameter block: the first of 64 bytes.
  private static func mix(_ block: UnsafeRawPointer, into state: inout SIMD4<UInt32>) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    for step in 0..<64 {
      let mixed: UInt32
      let place: Int
      switch step / 16 {
      case 0: (mixed, place) = (b & c | ~b & d, step)
      case 1: (mixed, place) = (d & b | ~d & c, (5 * step + 1) % 16)
      case 2: (mixed, place) = (b ^ c ^ d, (3 * step + 5) % 16)
      default: (mixed, place) = (c ^ (b | ~d), 7 * step % 16)
      }
      let word: UInt32 = bigEndianWord(of: block, at: place)
      let sum = a &+ mixed &+ sines[step] &+ word.byteSwapped
      (a, d, c, b) = (d, c, b, b &+ rotatedLeft(sum, turns[step / 16 * 4 + step % 4]))
    }
    state &+= SIMD4(a, b, c, d)
  }

  /// Four of each 16 steps.
  private static let turns: [UInt32] = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]

  /// The table T of RFC 1321: 2³² × |sin(n)| for n from 1 to 64, without its fraction.
  private static let sines: [UInt32] = [
    0xD76A_A478, 0xE8C7_B756, 0x2420_70DB, 0xC1BD_CEEE, 0xF57C_0FAF, 0x4787_C62A, 0xA830_4613, 0xFD46_9501,
    0x6980_98D8, 0x8B44_F7AF, 0xFFFF_5BB1, 0x895C_D7BE, 0x6B90_1122, 0xFD98_7193, 0xA679_438E, 0x49B4_0821,
    0xF61E_2562, 0xC040_B340, 0x265E_5A51, 0xE9B6_C7AA, 0xD62F_105D, 0x0244_1453, 0xD8A1_E681, 0xE7D3_FBC8,
    0x21E1_CDE6, 0xC337_07D6, 0xF4D5_0D87, 0x455A_14ED, 0xA9E3_E905, 0xFCEF_A3F8, 0x676F_02D9, 0x8D2A_4C8A,
    0xFFFA_3942, 0x8771_F681, 0x6D9D_6122, 0xFDE5_380C, 0xA4BE_EA44, 0x4BDE_CFA9, 0xF6BB_4B60, 0xBEBF_BC70,
    0x289B_7EC6, 0xEAA1_27FA, 0xD4EF_3085, 0x0488_1D05, 0xD9D4_D039, 0xE6DB_99E5, 0x1FA2_7CF8, 0xC4AC_5665,
    0xF429_2244, 0x432A_FF97, 0xAB94_23A7, 0xFC93_A039, 0x655B_59C3, 0x8F0C_CC92, 0xFFEF_F47D, 0x8584_5DD1,
    0x6FA8_7E4F, 0xFE2C_E6E0, 0xA301_4314, 0x4E08_11A1, 0xF753_7E82, 0xBD3A_F235, 0x2AD7_D2BB, 0xEB86_D391,
  ]
}

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
