import Dispatch
import OzuSynchronization

/// Tells an app what happens, in order, on a queue of its own: what the app does with it holds up no one.
///
/// One lock guards what was told when. The app is called outside of it.
final class SharedStoreNews: Sendable {
  private let onEvent: @Sendable (SharedStoreEvent) -> Void
  private let now: @Sendable () -> ContinuousClock.Instant
  private let queue = DispatchQueue(label: "ozu.shared.news", qos: .utility)
  private let lastDrop = Mutex<ContinuousClock.Instant?>(nil)

  init(
    now: @escaping @Sendable () -> ContinuousClock.Instant,
    _ onEvent: @escaping @Sendable (SharedStoreEvent) -> Void
  ) {
    self.now = now
    self.onEvent = onEvent
  }

  func tell(_ event: SharedStoreEvent) {
    if case .dropped = event {
      let now = now()
      let isTold = lastDrop.withLock { last in
        guard last.map({ $0.advanced(by: .seconds(1)) <= now }) ?? true else { return false }
        last = now
        return true
      }
      guard isTold else { return }
    }
    queue.async { [onEvent] in onEvent(event) }
  }

  /// Returns when everything so far was told.
  func told() async {
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
  }
}
