import Dispatch
import OzuSynchronization

/// Runs blocking or heavy work on threads of its own, a fixed number at a time, the most urgent first.
///
/// Swift's cooperative pool has one thread per core and none to spare: file reads and decoding come here
/// instead, and the awaiting task is resumed when they are done. Of equally urgent work the oldest goes first;
/// work that tells its size in bytes lets a little smaller work pass (`PriorityFIFO`).
///
/// One lock guards the queue. It is held to link and unlink, never while work runs.
final class WorkQueue: Sendable {
  private struct State {
    var waiting = PriorityFIFO<@Sendable () -> Void>()
    var runningCount = 0
    var isSuspended = false
  }

  private let state = Mutex(State())
  /// How much runs at once.
  let width: Int
  private let threads: DispatchQueue
  private let calm: CalmSignal?

  /// Makes a queue that runs at most `width` pieces of work at once.
  ///
  /// - Parameter calm: told when nothing urgent waits here any more.
  init(label: String, width: Int, calm: CalmSignal? = nil) {
    self.width = max(1, width)
    self.calm = calm
    threads = DispatchQueue(label: "ozu.\(label)", attributes: .concurrent)
  }

  /// Runs work and returns its result.
  ///
  /// Work whose task is cancelled while it waits is still run when its turn comes, with the flag raised; it is
  /// expected to look and return at once.
  ///
  /// - Parameter activity: is told the place in the queue.
  func run<Value: Sendable>(
    priority: LivePriority, activity: JobActivity? = nil,
    _ work: @escaping @Sendable (CancellationFlag) -> Value
  ) async -> Value {
    let flag = CancellationFlag()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let finish: @Sendable () -> Void = { continuation.resume(returning: work(flag)) }
        guard case .changing(let cell) = priority else {
          let id = enqueue(priority: priority.value, finish)
          activity?.wait(in: self, id)
          return
        }
        let observation = Observation(cell)
        let id = enqueue(priority: cell.value) {
          observation.end()
          finish()
        }
        activity?.wait(in: self, id)
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
  ///
  /// - Parameter size: in bytes, for the order among equally urgent work; 0 for work that keeps its place.
  /// - Returns: a number by which it can be moved, taken out or found.
  @discardableResult
  func enqueue(priority: ImagePriority, size: Int = 0, _ work: @escaping @Sendable () -> Void) -> Int {
    let id = append(priority: priority, size: size, work)
    wake()
    return id
  }

  /// Puts work into the line and wakes nobody: for who holds a lock that the work takes. `wake` is to follow.
  func append(priority: ImagePriority, size: Int = 0, _ work: @escaping @Sendable () -> Void) -> Int {
    state.withLock { $0.waiting.append(work, priority: priority, size: size) }
  }

  /// Has a thread see to what waits, unless all are busy.
  func wake() {
    let startsThread = state.withLock { $0.waiting.count > 0 && claimThread(&$0) }
    if startsThread { threads.async { self.drain() } }
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

  /// The pieces of work that wait and are as urgent as that or more.
  func waitingCount(from priority: ImagePriority) -> Int {
    state.withLock { $0.waiting.count(from: priority) }
  }

  /// How many pieces of work run.
  var runningCount: Int { state.withLock { $0.runningCount } }

  /// How many pieces of work go before this one; `nil` when it has begun.
  func position(of id: Int) -> Int? { state.withLock { $0.waiting.position(of: id) } }

  /// Gives waiting work another urgency.
  func move(_ id: Int, to priority: ImagePriority) {
    let isCalm = state.withLock { state in
      let wasUrgent = state.waiting.count(from: .normal) > 0
      state.waiting.move(id, to: priority)
      return wasUrgent && state.waiting.count(from: .normal) == 0
    }
    if isCalm { calm?.send() }
  }

  /// Takes out work that has not begun.
  ///
  /// - Returns: whether it had not.
  @discardableResult
  func remove(_ id: Int) -> Bool {
    // Released outside of the lock: it may hold much.
    let (work, isCalm) = state.withLock { state in
      let wasUrgent = state.waiting.count(from: .normal) > 0
      let work = state.waiting.remove(id)
      return (work, wasUrgent && state.waiting.count(from: .normal) == 0)
    }
    if isCalm { calm?.send() }
    return work != nil
  }

  private func claimThread(_ state: inout State) -> Bool {
    guard state.runningCount < width, !state.isSuspended else { return false }
    state.runningCount += 1
    return true
  }

  private func drain() {
    while let (work, isCalm) = next() {
      if isCalm { calm?.send() }
      work()
    }
  }

  /// The next work of the calling thread; without any, the thread gives up its place.
  private func next() -> (work: @Sendable () -> Void, isCalm: Bool)? {
    state.withLock { state in
      if !state.isSuspended {
        let wasUrgent = state.waiting.count(from: .normal) > 0
        if let work = state.waiting.popFirst() {
          return (work, wasUrgent && state.waiting.count(from: .normal) == 0)
        }
      }
      state.runningCount -= 1
      return nil
    }
  }
}
