import Dispatch
import OzuSynchronization

/// Runs blocking or heavy work on threads of its own, a fixed number at a time, the most urgent first.
///
/// Swift's cooperative pool has one thread per core and none to spare: file reads and decoding come here
/// instead, and the awaiting task is resumed when they are done.
final class WorkQueue: Sendable {
  private struct State {
    var waiting = PriorityFIFO<@Sendable () -> Void>()
    var runningCount = 0
    var isSuspended = false
  }

  private let state = Mutex(State())
  private let width: Int
  private let threads: DispatchQueue

  /// Makes a queue that runs at most `width` pieces of work at once.
  init(label: String, width: Int) {
    self.width = max(1, width)
    threads = DispatchQueue(label: "ozu.\(label)", attributes: .concurrent)
  }

  /// Runs work and returns its result.
  ///
  /// Work whose task is cancelled while it waits is still run when its turn comes, with the flag raised; it is
  /// expected to look and return at once.
  func run<Value: Sendable>(
    priority: LivePriority, _ work: @escaping @Sendable (CancellationFlag) -> Value
  ) async -> Value {
    let flag = CancellationFlag()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let finish: @Sendable () -> Void = { continuation.resume(returning: work(flag)) }
        guard case .changing(let cell) = priority else {
          enqueue(priority: priority.value, finish)
          return
        }
        let observation = Observation(cell)
        let id = enqueue(priority: cell.value) {
          observation.end()
          finish()
        }
        observation.begin { [weak self] in self?.move(id, to: cell.value) }
        // What changed before the observation began.
        move(id, to: cell.value)
      }
    } onCancel: {
      flag.raise()
    }
  }

  /// Runs work at an urgency that stays.
  func run<Value: Sendable>(
    priority: ImagePriority, _ work: @escaping @Sendable (CancellationFlag) -> Value
  ) async -> Value {
    await run(priority: .fixed(priority), work)
  }

  /// Runs work some time; nobody waits for it.
  @discardableResult
  func enqueue(priority: ImagePriority, _ work: @escaping @Sendable () -> Void) -> Int {
    let (id, startsThread) = state.withLock { state in
      (state.waiting.append(work, priority: priority), claimThread(&state))
    }
    if startsThread { threads.async { self.drain() } }
    return id
  }

  /// Holds back what has not begun, until it is lifted. For tests that arrange who waits.
  var isSuspended: Bool {
    get { state.withLock { $0.isSuspended } }
    set {
      let threadCount = state.withLock { state in
        state.isSuspended = newValue
        var count = 0
        while count < state.waiting.count, claimThread(&state) { count += 1 }
        return count
      }
      for _ in 0..<threadCount { threads.async { self.drain() } }
    }
  }

  /// The pieces of work that wait.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  private func move(_ id: Int, to priority: ImagePriority) {
    state.withLock { $0.waiting.move(id, to: priority) }
  }

  private func claimThread(_ state: inout State) -> Bool {
    guard state.runningCount < width, !state.isSuspended else { return false }
    state.runningCount += 1
    return true
  }

  private func drain() {
    while let work = next() { work() }
  }

  /// The next work of the calling thread; without any, the thread gives up its place.
  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      if !state.isSuspended, let work = state.waiting.popFirst() { return work }
      state.runningCount -= 1
      return nil
    }
  }
}

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
