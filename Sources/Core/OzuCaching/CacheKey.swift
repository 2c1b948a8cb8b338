import OzuBase

/// A 128-bit name for a cached value. It is computed once and compared in two instructions.
///
/// The key of a text or of bytes is their SipHash-2-4 with 128-bit output under a fixed key (Aumasson and Bernstein
/// 2012). The same text gives the same key in every process and on every platform, so keys can be stored. The
/// probability that two of a billion texts share a key is 10⁻²¹.
///
/// ```swift
/// let original = CacheKey("https://example.org/cat.jpg")
/// let thumbnail = original.derived("resize", "320x240")
/// ```
@frozen
public struct CacheKey: Hashable, Sendable {
  /// The more significant half.
  public let high: UInt64
  /// The less significant half.
  public let low: UInt64

  /// The key with exactly these bits, for keys that were computed or stored elsewhere.
  ///
  /// The bits must be spread like a hash's: a memory cache places keys by the low half, and does not hash them again.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The key of a text: the hash of its UTF-8 bytes. Texts that differ only in Unicode normalization have
  /// different keys.
  ///
  /// - Complexity: O(length), about a nanosecond for two bytes.
  public init(_ string: String) {
    var hash = SipHash128(key0: Self.key0, key1: Self.key1)
    hash.update(string)
    self.init(hash.finish())
  }

  /// The key of some bytes; equal to the key of the text that has these bytes as its UTF-8.
  public init(hashing bytes: some Sequence<UInt8>) {
    var hash = SipHash128(key0: Self.key0, key1: Self.key1)
    let done: Void? = bytes.withContiguousStorageIfAvailable { hash.update(UnsafeRawBufferPointer($0)) }
    if done == nil {
      for byte in bytes { hash.update(byte) }
    }
    self.init(hash.finish())
  }

  /// Reads a key from the text that `description` wrote; nil unless the text is exactly 32 hexadecimal digits.
  public init?(hexadecimal text: some StringProtocol) {
    let digits = text.utf8
    guard digits.count == 32, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }

  /// The key of a variant of this key's value: the hash of this key and of each part, in this order.
  ///
  /// No two different lists of parts give the same bytes: `derived("ab", "c")`, `derived("a", "bc")` and
  /// `derived("a").derived("bc")` all differ.
  public func derived(_ parts: String...) -> CacheKey {
    var builder = Builder(deriving: self)
    for part in parts { builder.append(part) }
    return builder.key
  }

  /// Hashes both halves, because two keys that were computed elsewhere may share one half.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(low)
    hasher.combine(high)
  }

  /// The low half of the key, which is spread like a hash already. `MemoryCache` mixes it with a random number of
  /// its own, so an attacker cannot choose keys that collide there.
  @inlinable public var hashValue: Int { Int(truncatingIfNeeded: low) }

  // An arbitrary key ("Ozu:stil", "l frames" in ASCII). It must never change, because keys are stored.
  private static let key0: UInt64 = 0x6c69_7473_3a75_7a4f
  private static let key1: UInt64 = 0x7365_6d61_7266_206c

  fileprivate init(_ halves: (first: UInt64, second: UInt64)) {
    self.init(high: halves.first, low: halves.second)
  }
}

extension CacheKey: ExpressibleByStringInterpolation {
  /// The key of a string literal or an interpolated string: `"en"` and `"page \(number)"` can be passed as keys.
  public init(stringLiteral text: String) {
    self.init(text)
  }
}

extension CacheKey: CustomStringConvertible {
  /// The key as 32 lowercase hexadecimal digits.
  public var description: String { (high.bigEndianBytes(8) + low.bigEndianBytes(8)).hexadecimal }
}

extension CacheKey {
  /// Computes one key from many parts without joining them into a string first.
  ///
  /// Each part is hashed with its kind and, if its length can vary, its length, so two different sequences of parts
  /// never give the same bytes. A builder hashes under another key than plain texts, so its keys do not equal
  /// theirs.
  package struct Builder: Sendable {
    private var hash: SipHash128

    /// Starts without parts.
    package init() {
      hash = SipHash128(key0: ~CacheKey.key0, key1: CacheKey.key1)
    }

    /// Starts from a key, to name a variant of its value.
    package init(deriving key: CacheKey) {
      self.init()
      append(key)
    }

    /// Adds a text.
    package mutating func append(_ string: String) {
      var string = string
      string.withUTF8 { append(kind: 1, UnsafeRawBufferPointer($0)) }
    }

    /// Adds bytes; they differ from a text of the same bytes.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
      append(kind: 2, bytes)
    }

    /// Adds a whole number. Equal numbers of different integer types give the same key.
    package mutating func append(_ number: some FixedWidthInteger) {
      hash.update(number < 0 ? 4 : 3)
      hash.update(littleEndian: UInt64(truncatingIfNeeded: number))
      let rest = number >> 64
      hash.update(littleEndian: UInt64(truncatingIfNeeded: rest))
    }

    /// Adds a number by its bit pattern: NaNs with different bits differ, and 0 differs from -0.
    package mutating func append(_ number: Double) {
      hash.update(5)
      hash.update(littleEndian: number.bitPattern)
    }

    /// Adds a Boolean.
    package mutating func append(_ flag: Bool) {
      hash.update(flag ? 7 : 6)
    }

    /// Adds another key.
    package mutating func append(_ key: CacheKey) {
      hash.update(8)
      hash.update(littleEndian: key.high)
      hash.update(littleEndian: key.low)
    }

    private mutating func append(kind: UInt8, _ bytes: UnsafeRawBufferPointer) {
      hash.update(kind)
      hash.update(littleEndian: UInt64(bytes.count))
      hash.update(bytes)
    }

    /// The key of all parts so far. More parts may follow.
    package var key: CacheKey {
      CacheKey(hash.finish())
    }
  }
}

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
