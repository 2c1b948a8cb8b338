import OzuHTTP
import OzuSynchronization

/// The priority of a running download, for an HTTP client of the app that has its own queue. It changes when
/// subscribers of the download come, leave, or change their priority.
///
/// Observers are called outside the lock. Two changes at once may be reported in either order, so an observer reads
/// the value instead of receiving it.
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
    // Released outside the lock, together with its captures.
    _ = state.withLock { state in
      state.observers.firstIndex { $0.id == id }.map { state.observers.remove(at: $0).call }
    }
  }
}
