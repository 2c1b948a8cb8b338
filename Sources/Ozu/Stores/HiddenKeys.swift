/// The keys that a level must not be asked for, in bounded memory, however long the level is down.
///
/// Some thousand keys are known exactly, and are let go when their entries could be written or removed after all. Further ones
/// go into a Bloom filter ("Space/time trade-offs in hash coding with allowable errors", 1970), which forgets none and
/// takes a few keys for one of them: asking for those is a miss, and nothing worse. At 100,000 keys that are one in a
/// hundred of all others, at a million nearly all: then the level is hardly read any more in this process.
///
/// - Complexity: O(1).
struct HiddenKeys: Sendable {
  /// 128 KB.
  private static let bitCount = 1 << 20
  private static let probeCount = 4

  /// How many keys are known exactly.
  let exactLimit: Int
  private(set) var exact: Set<ImageStoreKey> = []
  /// Empty until it is needed.
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
      // Without its label, which is for people.
      exact.insert(ImageStoreKey(key.kind, key.key))
      return
    }
    if bits.isEmpty { bits = Array(repeating: 0, count: Self.bitCount / 64) }
    for place in Self.places(of: key) { bits[place >> 6] |= 1 << UInt64(place & 63) }
  }

  /// Lets a key go, if it is among those that are known exactly.
  mutating func remove(_ key: ImageStoreKey) { exact.remove(key) }

  /// Two halves of one hash make all places (Kirsch and Mitzenmacher, "Less hashing, same performance", 2006).
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
