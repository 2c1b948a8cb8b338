/// Random numbers that seed the hash of one table.
///
/// The bits of a `CacheKey` are the same in every process, so an attacker can compute many texts whose keys agree
/// in the bits that a table would use. Under a secret seed these keys are spread like any others. The hash is the
/// 128-bit product of two words, each mixed with a seed, folded to 64 bits (the step of Yi's wyhash).
@usableFromInline
struct TableSeed: Sendable {
  @usableFromInline let first: UInt64
  @usableFromInline let second: UInt64

  @usableFromInline
  init() {
    first = .random(in: .min ... .max)
    // An odd number, so that the multiplication loses no bit of the hash value.
    second = .random(in: .min ... .max) | 1
  }

  /// The seed of a stored table.
  init(first: UInt64, second: UInt64) {
    self.first = first
    self.second = second
  }

  @inlinable @inline(__always)
  static func folded(_ one: UInt64, _ two: UInt64) -> UInt64 {
    let product = one.multipliedFullWidth(by: two)
    return product.high ^ product.low
  }

  /// The tag of a hash value.
  ///
  /// One product alone would map hash values at equal distances to tags at equal distances. Under three seeds in a
  /// hundred, these fall into few places of a table. So the halves are mixed and multiplied once more.
  @inlinable @inline(__always)
  func tag(_ hashValue: Int) -> UInt32 {
    let folded = Self.folded(UInt64(truncatingIfNeeded: hashValue) ^ first, second)
    return UInt32(truncatingIfNeeded: (folded ^ folded >> 32) &* 0x9E37_79B9_7F4A_7C15 >> 32)
  }

  /// The hash of a key in a partition. It uses both halves, because keys that were computed elsewhere may share one
  /// half.
  @inline(__always)
  func hash(_ key: CacheKey, partition: Int) -> UInt64 {
    let low = key.low ^ UInt64(truncatingIfNeeded: partition) &* 0x9E37_79B9_7F4A_7C15
    return Self.folded(low ^ first, key.high ^ second)
  }
}
