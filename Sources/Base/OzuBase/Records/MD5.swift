/// The digest MD5 (RFC 1321), by which the shared cache of thumbnails names its files, and by which Photoshop tells whether
/// IPTC-IIM was changed. Not for security.
package enum MD5 {
  /// The digest of some bytes, as 32 hexadecimal digits in lower case.
  ///
  /// - Complexity: O(bytes).
  package static func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
    digest(bytes).map(hexadecimal).joined()
  }

  /// The 16 bytes of the digest.
  ///
  /// - Complexity: O(bytes).
  package static func digest(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var state: (UInt32, UInt32, UInt32, UInt32) = (0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476)
    for block in padded(bytes).chunks(of: 64) { mix(block, into: &state) }
    return [state.0, state.1, state.2, state.3].flatMap { word in
      (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(8 * $0)) }
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = Array("0123456789abcdef")
    return String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
  }

  /// The bytes, a 1 bit, zeros and the number of bits: a multiple of 64 bytes.
  private static func padded(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var padded = Array(bytes)
    let bitCount = UInt64(padded.count) * 8
    padded.append(0x80)
    while padded.count % 64 != 56 { padded.append(0) }
    return padded + (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> (8 * UInt64($0))) }
  }

  private static func mix(_ block: ArraySlice<UInt8>, into state: inout (UInt32, UInt32, UInt32, UInt32)) {
    let bytes = Array(block)
    let words: [UInt32] = stride(from: 0, to: 64, by: 4).map { place in
      var word = UInt32(bytes[place])
      for index in 1..<4 { word |= UInt32(bytes[place + index]) << UInt32(8 * index) }
      return word
    }
    var (a, b, c, d) = state
    for step in 0..<64 {
      let mixed: UInt32
      let word: Int
      switch step / 16 {
      case 0: (mixed, word) = (b & c | ~b & d, step)
      case 1: (mixed, word) = (d & b | ~d & c, (5 * step + 1) % 16)
      case 2: (mixed, word) = (b ^ c ^ d, (3 * step + 5) % 16)
      default: (mixed, word) = (c ^ (b | ~d), 7 * step % 16)
      }
      let sum = a &+ mixed &+ sines[step] &+ words[word]
      let turn = turns[step / 16][step % 4]
      (a, d, c, b) = (d, c, b, b &+ (sum << turn | sum >> (32 - turn)))
    }
    state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d)
  }

  private static let turns: [[UInt32]] = [
    [7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21],
  ]

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

extension Array {
  fileprivate func chunks(of length: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: count, by: length).map { self[$0..<Swift.min($0 + length, count)] }
  }
}
