/// SipHash-2-4 with 128 bits of output (Aumasson and Bernstein, "SipHash: a fast short-input PRF",
/// INDOCRYPT 2012, and the 128-bit variant its authors published with the reference code).
///
/// Bytes are fed in any number of pieces; the result depends on their concatenation only.
struct SipHash128 {
  private var v0: UInt64
  private var v1: UInt64
  private var v2: UInt64
  private var v3: UInt64
  /// Up to seven bytes that do not fill a word yet, the oldest in the lowest byte.
  private var pending: UInt64 = 0
  private var byteCount: UInt64 = 0

  init(key0: UInt64, key1: UInt64) {
    v0 = key0 ^ 0x736f_6d65_7073_6575
    v1 = key1 ^ 0x646f_7261_6e64_6f6d ^ 0xee
    v2 = key0 ^ 0x6c79_6765_6e65_7261
    v3 = key1 ^ 0x7465_6462_7974_6573
  }

  private mutating func round() {
    v0 &+= v1
    v1 = (v1 << 13 | v1 >> 51) ^ v0
    v0 = v0 << 32 | v0 >> 32
    v2 &+= v3
    v3 = (v3 << 16 | v3 >> 48) ^ v2
    v0 &+= v3
    v3 = (v3 << 21 | v3 >> 43) ^ v0
    v2 &+= v1
    v1 = (v1 << 17 | v1 >> 47) ^ v2
    v2 = v2 << 32 | v2 >> 32
  }

  private mutating func compress(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  mutating func update(_ byte: UInt8) {
    let position = byteCount & 7
    pending |= UInt64(byte) << (position &* 8)
    byteCount &+= 1
    if position == 7 {
      compress(pending)
      pending = 0
    }
  }

  mutating func update(littleEndian word: UInt64) {
    let shift = (byteCount & 7) &* 8
    byteCount &+= 8
    if shift == 0 {
      compress(word)
    } else {
      compress(pending | word << shift)
      pending = word >> (64 &- shift)
    }
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    let wordsEnd = bytes.count & ~7
    var offset = 0
    while offset < wordsEnd {
      let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      update(littleEndian: UInt64(littleEndian: word))
      offset &+= 8
    }
    while offset < bytes.count {
      update(bytes[offset])
      offset &+= 1
    }
  }

  mutating func update(_ string: String) {
    var string = string
    string.withUTF8 { update(UnsafeRawBufferPointer($0)) }
  }

  /// The two halves of the result in the order in which the reference code writes them.
  consuming func finish() -> (first: UInt64, second: UInt64) {
    compress(pending | byteCount << 56)
    v2 ^= 0xee
    for _ in 0..<4 { round() }
    let first = v0 ^ v1 ^ v2 ^ v3
    v1 ^= 0xdd
    for _ in 0..<4 { round() }
    return (first, v0 ^ v1 ^ v2 ^ v3)
  }
}
