/// SHA-256 (FIPS 180-4 §6.2). It replaces secrets in stored records, which are compared but cannot be read; it
/// identifies pictures in the records of the conformance run; and it signs addresses. Its steps do not depend on
/// the values of the message, only on their number. Do not use the text of `hexDigest` for secrets.
package enum SHA256 {
  /// The digest of the UTF-8 bytes of a text, in lower-case hexadecimal digits.
  static func hexDigest(of text: String) -> String { hexDigest(of: Array(text.utf8)) }

  /// The digest of some bytes, in lower-case hexadecimal digits.
  package static func hexDigest(of message: [UInt8]) -> String {
    digest(of: message).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }

  /// The message authentication code for holders of the key: HMAC-SHA-256 (RFC 2104), 32 bytes.
  package static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    var block = key.count > 64 ? digest(of: key) : key
    block += [UInt8](repeating: 0, count: 64 - block.count)
    return digest(of: block.map { $0 ^ 0x5C } + digest(of: block.map { $0 ^ 0x36 } + message))
  }

  /// The digest of some bytes: 32 bytes.
  package static func digest(of message: [UInt8]) -> [UInt8] {
    var state = initialState
    // Used again for each block.
    var schedule = [UInt32](repeating: 0, count: 64)
    let fullBlocks = message.count / 64
    for block in 0..<fullBlocks {
      compress(message[(block * 64)..<(block * 64 + 64)], &schedule, into: &state)
    }
    var tail = Array(message[(fullBlocks * 64)...]) + [0x80]
    while tail.count % 64 != 56 { tail.append(0) }
    let bitCount = UInt64(message.count) * 8
    for shift in stride(from: 56, through: 0, by: -8) {
      tail.append(UInt8(truncatingIfNeeded: bitCount >> shift))
    }
    for start in stride(from: 0, to: tail.count, by: 64) {
      compress(tail[start..<start + 64], &schedule, into: &state)
    }
    return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
  }

  private static func compress(
    _ block: ArraySlice<UInt8>, _ schedule: inout [UInt32], into state: inout [UInt32]
  ) {
    for i in 0..<16 {
      let at = block.startIndex + i * 4
      schedule[i] =
        UInt32(block[at]) << 24 | UInt32(block[at + 1]) << 16 | UInt32(block[at + 2]) << 8
        | UInt32(block[at + 3])
    }
    for i in 16..<64 {
      let a = schedule[i - 15]
      let b = schedule[i - 2]
      let sigma0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >> 3)
      let sigma1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >> 10)
      schedule[i] = schedule[i - 16] &+ sigma0 &+ schedule[i - 7] &+ sigma1
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for i in 0..<64 {
      let sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
      let choice = (e & f) ^ (~e & g)
      let first = h &+ sum1 &+ choice &+ constants[i] &+ schedule[i]
      let sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
      let majority = (a & b) ^ (a & c) ^ (b & c)
      let second = sum0 &+ majority
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
    }
    for (i, word) in [a, b, c, d, e, f, g, h].enumerated() { state[i] &+= word }
  }

  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  /// The fractional parts of the square roots of the first 8 primes.
  private static let initialState: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]

  /// The fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}
