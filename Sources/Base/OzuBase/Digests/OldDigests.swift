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
  private static let sines = (1...64).map { (number: Int) -> UInt32 in
    UInt32(clamping: 0x1p32 * abs(sin(Double(number))))
  }
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
