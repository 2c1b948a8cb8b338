import Dispatch
import Ozu
import OzuBase

/// Reports events to an app, in order, on a queue of its own, so that slow code of the app delays nothing else.
///
/// One lock guards the times of the last reports. The app is called outside the lock.
final class SharedStoreReporter: Sendable {
  private let onEvent: @Sendable (SharedStoreEvent) -> Void
  private let now: @Sendable () -> ContinuousClock.Instant
  private let queue = DispatchQueue(label: "ozu.shared.events", qos: .utility)
  private let lastReports = Mutex<[String: ContinuousClock.Instant]>([:])

  init(
    now: @escaping @Sendable () -> ContinuousClock.Instant,
    _ onEvent: @escaping @Sendable (SharedStoreEvent) -> Void
  ) {
    self.now = now
    self.onEvent = onEvent
  }

  func report(_ event: SharedStoreEvent) {
    // Events of each command.
    let rare: (kind: String, interval: Duration)? =
      switch event {
      case .dropped: ("dropped", .seconds(1))
      case .refused(let node, _): ("refused \(node)", .seconds(60))
      case .nodeChanged, .damaged: nil
      }
    if let rare {
      let now = now()
      let isReported = lastReports.withLock { last in
        guard last[rare.kind].map({ $0.advanced(by: rare.interval) <= now }) ?? true else { return false }
        last[rare.kind] = now
        return true
      }
      guard isReported else { return }
    }
    queue.async { [onEvent] in onEvent(event) }
  }

  /// Returns after all earlier events were reported.
  func reported() async {
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
  }
}

/// The counts of a store's entries. One lock guards them.
final class SharedStoreCounts: Sendable {
  private let counts = Mutex(SharedStoreStatistics())

  func count(_ what: WritableKeyPath<SharedStoreStatistics, Int>) {
    counts.withLock { $0[keyPath: what] += 1 }
  }

  func statistics(nodes: [SharedStoreNodeStatistics]) -> SharedStoreStatistics {
    var statistics = counts.withLock { $0 }
    statistics.nodes = nodes
    return statistics
  }
}

extension ImageStoreKind {
  /// Whether a shared store keeps entries of this kind. Beginnings of transfers and lists of derived variants are
  /// useless to other machines.
  func isShared(keepingOriginals: Bool) -> Bool {
    switch self {
    case .original: keepingOriginals
    case .partial, .variants: false
    default: true
    }
  }
}
