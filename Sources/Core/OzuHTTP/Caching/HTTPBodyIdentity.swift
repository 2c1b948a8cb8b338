import OzuBase

/// Tells bodies apart by 128 bits of a fast hash and the length. It detects changes, not forgeries.
///
/// It takes a body whole or in pieces; the sizes of the pieces make no difference. Word `n` goes into lane `n % 4`: a multiplication
/// waits for the one before it in its lane, and four lanes do not wait for each other. Each step is a bijection of the lane for
/// a word and of the word for a lane, so bodies that differ in one word never have the same lanes.
struct HTTPBodyIdentity {
  private var lanes: (UInt64, UInt64, UInt64, UInt64) = (
    0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x2752_20A9_5FDE_4A6B
  )
  private var wordCount = 0
  /// Bytes that do not fill a word yet, the first one lowest.
  private var rest: UInt64 = 0
  private var restByteCount = 0

  /// The identity of a whole body.
  static func of(_ body: Data) -> String {
    var identity = HTTPBodyIdentity()
    body.withUnsafeBytes { identity.update($0) }
    return identity.text
  }

  /// Takes the next bytes of the body.
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while restByteCount > 0, offset < bytes.count {
      push(bytes[offset])
      offset += 1
    }
    func word(_ index: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset &+ 8 &* index, as: UInt64.self))
    }
    while offset &+ 8 <= bytes.count, wordCount % 4 != 0 {
      add(word(0))
      offset &+= 8
    }
    var (a, b, c, d) = lanes
    let start = offset
    while offset &+ 32 <= bytes.count {
      a = Self.mixed(a, word(0))
      b = Self.mixed(b, word(1))
      c = Self.mixed(c, word(2))
      d = Self.mixed(d, word(3))
      offset &+= 32
    }
    lanes = (a, b, c, d)
    wordCount += (offset - start) / 8
    while offset &+ 8 <= bytes.count {
      add(word(0))
      offset &+= 8
    }
    while offset < bytes.count {
      push(bytes[offset])
      offset += 1
    }
  }

  /// The identity of the bytes so far.
  var text: String {
    let byteCount = 8 * wordCount + restByteCount
    let (a, b, c, d) = lanes
    let words = [a, b, c, d, rest, UInt64(byteCount), 0]
    let first = words.reduce(0, Self.mixed)
    let second = words.reversed().reduce(first, Self.mixed)
    return [first, second, UInt64(byteCount)].map { String($0, radix: 36) }.joined(separator: "-")
  }

  private mutating func push(_ byte: UInt8) {
    rest |= UInt64(byte) << (8 * UInt64(restByteCount))
    restByteCount += 1
    guard restByteCount == 8 else { return }
    add(rest)
    (rest, restByteCount) = (0, 0)
  }

  private mutating func add(_ word: UInt64) {
    switch wordCount % 4 {
    case 0: lanes.0 = Self.mixed(lanes.0, word)
    case 1: lanes.1 = Self.mixed(lanes.1, word)
    case 2: lanes.2 = Self.mixed(lanes.2, word)
    default: lanes.3 = Self.mixed(lanes.3, word)
    }
    wordCount += 1
  }

  private static func mixed(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    let product = (lane ^ word) &* 0xFF51_AFD7_ED55_8CCD
    return product ^ product >> 32
  }
}
