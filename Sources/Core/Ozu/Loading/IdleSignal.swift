import Dispatch
import OzuBase

/// Signals low-priority work, such as prefetching, that no job of normal priority or higher waits any more.
///
/// The scheduler sends it when the last such job has left the queues. An observer must check by itself whether it may
/// begin, because the state may have changed again. One lock guards the observers. They are called on another thread,
/// because the sender may hold locks.
final class IdleSignal: Sendable {
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
