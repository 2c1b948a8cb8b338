/// The random numbers under which one table hashes its keys once more.
///
/// The bits of a `CacheKey` are the same in every process, so anybody can compute many texts whose keys agree in the
/// bits that a table would use. Under a seed that nobody else knows, these keys lie as far apart as any others. The hash
/// is the product of two words in 128 bits, each under a seed, folded to 64 (the step of Yi's wyhash).
@usableFromInline
struct TableSeed: Sendable {
  @usableFromInline let first: UInt64
  @usableFromInline let second: UInt64

  @usableFromInline
  init() {
    first = .random(in: .min ... .max)
    // An odd number, so that a hash value alone, which this multiplies, is not lost.
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
  /// One product alone would leave hash values with equal distances in equal distances, which under three seeds in a hundred
  /// fall into a few places of a table. So its halves are mixed and multiplied once more.
  @inlinable @inline(__always)
  func tag(_ hashValue: Int) -> UInt32 {
    let folded = Self.folded(UInt64(truncatingIfNeeded: hashValue) ^ first, second)
    return UInt32(truncatingIfNeeded: (folded ^ folded >> 32) &* 0x9E37_79B9_7F4A_7C15 >> 32)
  }

  /// The hash value of a key in a partition. Both halves of the key go in: keys that come from elsewhere may have one in
  /// common.
  @inline(__always)
  func hash(_ key: CacheKey, partition: Int) -> UInt64 {
    let low = key.low ^ UInt64(truncatingIfNeeded: partition) &* 0x9E37_79B9_7F4A_7C15
    return Self.folded(low ^ first, key.high ^ second)
  }
}
