import OzuSynchronization

/// The evictions that observers have yet to hear of, by format.
///
/// The memory cache tells each entry as it goes, with many of them under memory pressure: they are gathered here until
/// the next store. The disk cache counts by itself: here is how far observers know the counts.
final class EvictionLedger: Sendable {
  private typealias Counts = [String?: Int]

  private let leftMemory = Mutex<Counts>([:])
  private let toldOfDisk = Mutex<Counts>([:])

  func noteLeftMemory(_ picture: CachedPicture) {
    leftMemory.withLock { $0[picture.formatName, default: 0] += 1 }
  }

  /// What has left memory since the last call.
  func takeFromMemory() -> [ObservedEviction] {
    let counts = leftMemory.withLock { counts in
      defer { counts = [:] }
      return counts
    }
    return Self.evictions(counts, from: .memory)
  }

  /// What has left the disk cache since the last call.
  ///
  /// - Parameter totals: how many entries of each kind it has lost so far.
  func takeFromDisk(_ totals: [ImageStoreKind: Int]) -> [ObservedEviction] {
    guard !totals.isEmpty else { return [] }
    var counts: Counts = [:]
    for (kind, total) in totals { counts[kind.formatName, default: 0] += total }
    let news = toldOfDisk.withLock { told in
      let news = counts.filter { $0.value > told[$0.key] ?? 0 }
        .map { ($0.key, $0.value - (told[$0.key] ?? 0)) }
      told.merge(counts) { max($0, $1) }
      return news
    }
    return Self.evictions(Dictionary(uniqueKeysWithValues: news), from: .disk)
  }

  private static func evictions(_ counts: Counts, from store: ObservedStore) -> [ObservedEviction] {
    counts.sorted { ($0.key ?? "") < ($1.key ?? "") }
      .map { ObservedEviction(store: store, format: $0.key, count: $0.value) }
  }
}
