import OzuHTTP
import OzuSynchronization

/// An urgency that work waits with: one that stays, or one that may change while it waits.
enum LivePriority: Sendable {
  /// It stays.
  case fixed(ImagePriority)
  /// It may change; who cares observes the cell.
  case changing(PriorityCell)

  /// The urgency now.
  var value: ImagePriority {
    switch self {
    case .fixed(let priority): priority
    case .changing(let cell): cell.value
    }
  }

  /// The level in the transport's words.
  var transport: HTTPPriority { value.transport }
}

/// An urgency that changes, and tells those who observe it.
///
/// Observers are called outside the lock, by whoever makes the change. Two changes at once may be told in either
/// order, so an observer asks for `value` instead of being handed one.
final class PriorityCell: HTTPPrioritySource {
  private struct State {
    var value: ImagePriority
    var lastID = 0
    /// Few: whoever waits on behalf of one job.
    var observers: [(id: Int, call: @Sendable () -> Void)] = []
  }

  private let state: Mutex<State>

  init(_ value: ImagePriority) {
    state = Mutex(State(value: value))
  }

  /// The urgency now. Setting it tells the observers, when it is another.
  var value: ImagePriority {
    get { state.withLock { $0.value } }
    set { update { newValue } }
  }

  /// Sets the urgency to what a closure says. The closure runs under the lock: of several updates at once, the
  /// last to write is the last to have looked.
  func update(_ current: () -> ImagePriority) {
    let observers = state.withLock { state -> [@Sendable () -> Void] in
      let value = current()
      guard state.value != value else { return [] }
      state.value = value
      return state.observers.map(\.call)
    }
    for observer in observers { observer() }
  }

  /// Calls a closure after each change, until it is removed.
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

  /// The urgency now, in the transport's words.
  var transportPriority: HTTPPriority { value.transport }
}
