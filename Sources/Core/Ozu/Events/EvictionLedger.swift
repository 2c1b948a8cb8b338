import OzuBase

/// The evictions that have not been reported to observers yet, by format.
///
/// The memory cache reports each evicted entry, and there are many under memory pressure: they are collected here
/// until the next store. The disk cache counts its evictions by itself; this object remembers which counts were
/// reported.
final class EvictionLedger: Sendable {
  private typealias Counts = [String?: Int]

  private let leftMemory = Mutex<Counts>([:])
  private let toldOfDisk = Mutex<Counts>([:])

  func noteLeftMemory(_ picture: CachedPicture) {
    leftMemory.withLock { $0[picture.formatName, default: 0] += 1 }
  }

  /// The evictions from memory since the last call.
  func takeFromMemory() -> [ObservedEviction] {
    let counts = leftMemory.withLock { counts in
      defer { counts = [:] }
      return counts
    }
    return Self.evictions(counts, from: .memory)
  }

  /// The evictions from the disk cache since the last call.
  ///
  /// - Parameter totals: the number of evicted entries of each kind so far.
  func takeFromDisk(_ totals: [ImageStoreKind: Int]) -> [ObservedEviction] {
    guard !totals.isEmpty else { return [] }
    var counts: Counts = [:]
    for (kind, total) in totals { counts[kind.formatName, default: 0] += total }
    let new = toldOfDisk.withLock { told in
      let new = counts.filter { $0.value > told[$0.key] ?? 0 }
        .map { ($0.key, $0.value - (told[$0.key] ?? 0)) }
      told.merge(counts) { max($0, $1) }
      return new
    }
    return Self.evictions(Dictionary(uniqueKeysWithValues: new), from: .disk)
  }

  private static func evictions(_ counts: Counts, from store: ObservedStore) -> [ObservedEviction] {
    counts.sorted { ($0.key ?? "") < ($1.key ?? "") }
      .map { ObservedEviction(store: store, format: $0.key, count: $0.value) }
  }
}
