import OzuHTTP
import OzuSynchronization

/// The urgency of a download that is under way, for a client of the app's own that has a queue: it changes as those
/// who want the download come, go and change their minds.
///
/// Observers are called outside the lock. Two changes at once may be told in either order, so an observer asks for the
/// value instead of being handed one.
final class FetchPriority: HTTPPrioritySource {
  private struct State {
    var value: ImagePriority
    var lastID = 0
    var observers: [(id: Int, call: @Sendable () -> Void)] = []
  }

  private let state: Mutex<State>

  init(_ value: ImagePriority) { state = Mutex(State(value: value)) }

  var transportPriority: HTTPPriority { state.withLock { $0.value }.transport }

  func set(_ value: ImagePriority) {
    let observers = state.withLock { state in
      state.value = value
      return state.observers.map(\.call)
    }
    for observer in observers { observer() }
  }

  func observe(_ observer: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.lastID += 1
      state.observers.append((state.lastID, observer))
      return state.lastID
    }
  }

  func removeObserver(_ id: Int) {
    // Released outside of the lock, with what it captures.
    _ = state.withLock { state in
      state.observers.firstIndex { $0.id == id }.map { state.observers.remove(at: $0).call }
    }
  }
}
