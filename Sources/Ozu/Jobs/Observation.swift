import OzuSynchronization

/// An observation of a cell that may have to end before it has begun.
final class Observation: Sendable {
  private enum State {
    case pending
    case observing(Int)
    case ended
  }

  private let cell: PriorityCell
  private let state = Mutex(State.pending)

  init(_ cell: PriorityCell) { self.cell = cell }

  func begin(_ observer: @escaping @Sendable () -> Void) {
    let id = cell.observe(observer)
    let isOver = state.withLock { state in
      if case .ended = state { return true }
      state = .observing(id)
      return false
    }
    if isOver { cell.removeObserver(id) }
  }

  func end() {
    let id = state.withLock { state -> Int? in
      defer { state = .ended }
      if case .observing(let id) = state { return id }
      return nil
    }
    if let id { cell.removeObserver(id) }
  }
}
