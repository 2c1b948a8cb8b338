/// The keys for which a level must not be asked, in bounded memory, however long the level fails.
///
/// The first 4,096 keys are kept exactly, and are removed when their entries have been written or removed after all.
/// Later keys go into a Bloom filter ("Space/time trade-offs in hash coding with allowable errors", 1970). It never
/// forgets a key, and it also hides some keys that were not inserted; a request for one of these is only a miss. By
/// its formula it hides one in a hundred of the other keys when it contains 100,000, and nearly all when it contains
/// a million: this process then hardly reads the level any more.
///
/// - Complexity: O(1).
struct HiddenKeys: Sendable {
  /// 128 KB.
  private static let bitCount = 1 << 20
  private static let probeCount = 4

  /// How many keys are kept exactly.
  let exactLimit: Int
  private(set) var exact: Set<ImageStoreKey> = []
  /// The Bloom filter; empty until it is needed.
  private var bits: [UInt64] = []

  init(exactLimit: Int = 4096) { self.exactLimit = exactLimit }

  func contains(_ key: ImageStoreKey) -> Bool {
    if exact.isEmpty, bits.isEmpty { return false }
    if exact.contains(key) { return true }
    return !bits.isEmpty && Self.places(of: key).allSatisfy { bits[$0 >> 6] >> UInt64($0 & 63) & 1 == 1 }
  }

  mutating func insert(_ key: ImageStoreKey) {
    if contains(key) { return }
    if exact.count < exactLimit {
      // Without its label, which would only take memory.
      exact.insert(ImageStoreKey(key.kind, key.key))
      return
    }
    if bits.isEmpty { bits = Array(repeating: 0, count: Self.bitCount / 64) }
    for place in Self.places(of: key) { bits[place >> 6] |= 1 << UInt64(place & 63) }
  }

  /// Removes a key if it is kept exactly.
  mutating func remove(_ key: ImageStoreKey) { exact.remove(key) }

  /// Computes all positions from the two halves of one hash (Kirsch and Mitzenmacher, "Less hashing, same
  /// performance", 2006).
  private static func places(of key: ImageStoreKey) -> some Sequence<Int> {
    var hasher = Hasher()
    hasher.combine(key.kind)
    hasher.combine(key.key)
    let hash = UInt64(bitPattern: Int64(hasher.finalize()))
    return (0..<UInt64(probeCount)).lazy.map { number in
      Int(truncatingIfNeeded: ((hash >> 32) &+ number &* (hash & 0xFFFF_FFFF | 1)) % UInt64(bitCount))
    }
  }
}
