import OzuBase

/// The directory of a store, and what all its parts use: the index in memory, the errors and the counts.
final class StoreContext: Sendable {
  let directory: String
  let configuration: DiskCacheConfiguration
  let fileSystem: any FileSystem
  let index = LiveIndex()
  let ages: AgeLimits
  /// The capacities of partitions, also of those that have no entries yet.
  private let capacities: Mutex<[Partition: Int]>
  let counters = DiskCacheCounters()
  let errors: DiskCacheErrors

  init(directory: String, configuration: DiskCacheConfiguration) {
    var directory = directory
    while directory.count > 1, directory.hasSuffix("/") { directory.removeLast() }
    self.directory = directory
    self.configuration = configuration
    fileSystem = configuration.fileSystem
    ages = AgeLimits(
      maximumAge: configuration.maximumAge, partitionMaximumAges: configuration.partitionMaximumAges)
    capacities = Mutex(configuration.partitionCapacities.mapValues { max(0, $0) })
    errors = DiskCacheErrors(counters: counters, onError: configuration.onError)
  }

  /// Whether flushed bytes must survive a loss of power.
  var isSynced: Bool { configuration.durability == .synced }

  func path(_ name: String) -> String { directory + "/" + name }

  /// The most bytes that a partition's entries may take; zero if there is no limit.
  func capacity(of partition: Partition) -> Int { capacities.withLock { $0[partition] } ?? 0 }

  func setCapacity(_ capacity: Int, of partition: Partition) {
    capacities.withLock { $0[partition] = capacity }
  }

  /// Nanoseconds since 1970 on the injected clock.
  func now() -> Int64 { configuration.now().nanoseconds }

  /// Whether the refresh interval has passed since a date, or the clock was set back.
  func isDue(since former: Int64) -> Bool {
    let date = now()
    let interval = Int64(max(0, min(9e18, configuration.refreshInterval * 1e9)))
    return former > date || date.saturatingDifference(former) >= interval
  }
}

/// The errors of a cache. The observer is an app's and may call the cache, so errors that occur under a lock are
/// noted, and reported after it is released.
final class DiskCacheErrors: Sendable {
  private let noted = Mutex<[DiskCacheError]>([])
  private let reported = Mutex<Set<DiskCacheError>>([])
  private let counters: DiskCacheCounters
  private let onError: @Sendable (DiskCacheError) -> Void

  init(counters: DiskCacheCounters, onError: @escaping @Sendable (DiskCacheError) -> Void) {
    self.counters = counters
    self.onError = onError
  }

  /// Keeps an error, to be reported later.
  func note(_ error: DiskCacheError) { noted.withLock { $0.append(error) } }

  /// Runs `body` and notes its error.
  func attempt(_ body: () throws(DiskCacheError) -> Void) {
    do throws(DiskCacheError) {
      try body()
    } catch {
      note(error)
    }
  }

  /// Reports the errors that were noted. No lock is held.
  func reportNoted() {
    let errors = noted.withLock { noted in
      defer { noted = [] }
      return noted
    }
    for error in errors { report(error) }
  }

  /// Counts an error, and calls the observer if it is the first of its kind.
  func report(_ error: DiskCacheError) {
    counters.count { $0.errors += 1 }
    let isFirst = reported.withLock { reported in
      reported.insert(DiskCacheError(error.operation, path: "", code: error.code)).inserted
    }
    if isFirst { onError(error) }
  }
}
