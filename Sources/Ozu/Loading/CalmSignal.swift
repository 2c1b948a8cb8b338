import Dispatch
import OzuSynchronization

/// Tells those who stand back for urgent work that it may be their turn.
///
/// A queue sends it when the last piece of work of normal urgency or more has left its line. Who is told looks
/// around and decides; nothing is promised. One lock guards the observers, who are called from a thread of their own:
/// the sender may hold locks.
final class CalmSignal: Sendable {
  private struct State {
    var lastID = 0
    var observers: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  /// Calls a closure at each signal, until it is removed.
  func observe(_ observer: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.lastID += 1
      state.observers[state.lastID] = observer
      return state.lastID
    }
  }

  func removeObserver(_ id: Int) {
    state.withLock { _ = $0.observers.removeValue(forKey: id) }
  }

  func send() {
    let observers = state.withLock { $0.observers.isEmpty ? [] : Array($0.observers.values) }
    guard !observers.isEmpty else { return }
    DispatchQueue.global().async {
      for observer in observers { observer() }
    }
  }
}
