#if canImport(OzuServer)
  import OzuCaching
  import OzuSharedStores
  import OzuBase

  /// Says on standard error when a cache or a store fails and when it is back: the service works without them, so nothing
  /// else tells. The same line comes once a minute at most.
  final class StoreReports: Sendable {
    private static let interval = Duration.seconds(60)
    private static let mostLines = 256

    private let print: @Sendable (String) -> Void
    private let now: @Sendable () -> ContinuousClock.Instant
    private let printed = Mutex<[String: ContinuousClock.Instant]>([:])

    init(
      now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now },
      _ print: @escaping @Sendable (String) -> Void
    ) {
      self.now = now
      self.print = print
    }

    /// Reports an event of a shared store.
    func report(_ event: SharedStoreEvent, of store: String) {
      switch event {
      case .nodeChanged(let node, .open, let error):
        write("\(store): \(node) is not asked for a while: \(error ?? "it fails")")
      case .nodeChanged(let node, .closed, _): write("\(store): \(node) is asked again")
      case .nodeChanged(_, .halfOpen, _): break
      case .damaged(let node): write("\(store): \(node) had a damaged entry, which was removed")
      case .dropped(let node): write("\(store): too many commands wait for \(node), and more are dropped")
      case .refused(_, let error): write("\(store): \(error)")
      }
    }

    /// Reports an error of the disk cache.
    func report(_ error: DiskCacheError) { write("cache: \(error)") }

    private func write(_ line: String) {
      let now = now()
      let isNew = printed.withLock { printed in
        if let last = printed[line], now < last + Self.interval { return false }
        // Lines have texts of servers in them.
        if printed.count >= Self.mostLines { printed = printed.filter { now < $0.value + Self.interval } }
        guard printed.count < Self.mostLines else { return false }
        printed[line] = now
        return true
      }
      if isNew { print("ozu: \(line)") }
    }
  }
#endif
