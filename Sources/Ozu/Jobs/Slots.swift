import OzuSynchronization

/// A number of places that tasks take and give back; who finds none waits by priority, then by age.
///
/// For work that suspends instead of blocking, as a download does: it needs a turn, not a thread. In a storm of
/// cancellations places stay empty for a moment (`StartLimiter`). One lock guards the line; continuations are resumed
/// and the clock, which may be the app's, is read outside of it.
final class Slots: Sendable {
  private struct State {
    var freeCount: Int
    var waiting = PriorityFIFO<CheckedContinuation<Bool, Never>>()
    var isSuspended = false
    var limiter: StartLimiter?
    var isTimerSet = false
    /// Whether the limiter has held the line back since it was empty.
    var isHolding = false
    var lineObserver: (@Sendable () -> Void)?
  }

  /// Where one who waits stands. Both values are written and read under the lock of the slots: the cancellation
  /// handler may come before the continuation is there.
  private final class Ticket: Sendable {
    let cancellation = CancellationFlag()
    private let place = Atomic(0)

    var id: Int {
      get { place.load(ordering: .relaxed) }
      set { place.store(newValue, ordering: .relaxed) }
    }
  }

  /// Time, for the limiter.
  struct Timing: Sendable {
    let now: @Sendable () -> ContinuousClock.Instant
    let sleep: @Sendable (Duration) async throws -> Void
  }

  /// How many places there are.
  let count: Int
  private let state: Mutex<State>
  private let timing: Timing?
  private let calm: CalmSignal?
  /// How many wait for a place, as it was when the lock was last opened.
  let lineLength = LineLength()

  /// Makes so many places, at least one.
  ///
  /// - Parameters:
  ///   - timing: the clock of a limiter of storms; without it there is none.
  ///   - calm: told when nobody urgent waits here any more.
  init(count: Int, limitedBy timing: Timing? = nil, calm: CalmSignal? = nil) {
    self.count = max(1, count)
    self.timing = timing
    self.calm = calm
    state = Mutex(State(freeCount: max(1, count), limiter: timing.map { _ in StartLimiter() }))
  }

  /// Runs an operation in a place. `nil` when the task was cancelled while it waited for one.
  ///
  /// - Parameter activity: is told the place in the line.
  func run<Value: Sendable>(
    priority: LivePriority, activity: JobActivity? = nil, _ operation: @Sendable () async -> Value
  ) async -> Value? {
    guard await acquire(priority: priority, activity: activity) else { return nil }
    let value = await operation()
    release(isCancelled: Task.isCancelled)
    return value
  }

  /// Runs an operation at an urgency that stays.
  func run<Value: Sendable>(
    priority: ImagePriority, _ operation: @Sendable () async -> Value
  ) async -> Value? {
    await run(priority: .fixed(priority), operation)
  }

  /// How many wait for a place.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// How many wait for a place and are as urgent as that or more.
  func waitingCount(from priority: ImagePriority) -> Int {
    state.withLock { $0.waiting.count(from: priority) }
  }

  /// The lowest urgency that would have fewer than so many before it in the line; `nil` when every one would have more.
  func lowestLevel(behindFewerThan count: Int) -> ImagePriority? {
    state.withLock { state in
      if state.waiting.count < count { return .veryLow }
      return ImagePriority.allCases.first { state.waiting.count(from: $0) < count }
    }
  }

  /// Has a closure called, outside of the lock, for each one that leaves the line, and when one moves in it.
  func observeLine(_ observer: @escaping @Sendable () -> Void) {
    state.withLock { $0.lineObserver = observer }
  }

  /// How many places are taken.
  var runningCount: Int { state.withLock { count - $0.freeCount } }

  /// How many go before one who waits; `nil` when nobody of this number does.
  func position(of id: Int) -> Int? { state.withLock { $0.waiting.position(of: id) } }

  /// Gives out no places, until it is lifted. For tests that arrange who waits.
  var isSuspended: Bool {
    get { state.withLock { $0.isSuspended } }
    set {
      state.withLock { $0.isSuspended = newValue }
      dispatch()
    }
  }

  private func acquire(priority: LivePriority, activity: JobActivity?) async -> Bool {
    let ticket = Ticket()
    let observation: Observation? =
      if case .changing(let cell) = priority { Observation(cell) } else { nil }
    let isAdmitted = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let now = timing?.now()
        let arrival = activity?.now()
        let answer = state.withLock { state -> Bool? in
          if ticket.cancellation.isRaised { return false }
          if state.waiting.count == 0, Self.mayAdmit(&state, at: now) {
            state.freeCount -= 1
            return true
          }
          ticket.id = state.waiting.append(continuation, priority: priority.value)
          lineLength.count = state.waiting.count
          // Under the lock, so that it is not told after the turn has come.
          if let activity, let arrival { activity.wait(in: self, ticket.id, since: arrival) }
          return nil
        }
        if let answer { return continuation.resume(returning: answer) }
        observation?.begin { [weak self] in self?.move(ticket, to: priority.value) }
        // What changed before the observation began, and who waits for the limiter.
        move(ticket, to: priority.value)
        dispatch()
      }
    } onCancel: {
      let (continuation, isCalm, observer) = state.withLock { state in
        ticket.cancellation.raise()
        let wasUrgent = state.waiting.count(from: .normal) > 0
        let continuation = state.waiting.remove(ticket.id)
        lineLength.count = state.waiting.count
        return (continuation, wasUrgent && state.waiting.count(from: .normal) == 0, state.lineObserver)
      }
      continuation?.resume(returning: false)
      if isCalm { calm?.send() }
      if continuation != nil { observer?() }
    }
    observation?.end()
    return isAdmitted
  }

  private func move(_ ticket: Ticket, to priority: ImagePriority) {
    let (isCalm, observer) = state.withLock { state in
      let wasUrgent = state.waiting.count(from: .normal) > 0
      let hasMoved = state.waiting.move(ticket.id, to: priority)
      return (wasUrgent && state.waiting.count(from: .normal) == 0, hasMoved ? state.lineObserver : nil)
    }
    if isCalm { calm?.send() }
    observer?()
  }

  private func release(isCancelled: Bool) {
    let now = timing?.now()
    state.withLock { state in
      state.freeCount += 1
      guard let now else { return }
      if isCancelled { state.limiter?.noteCancellation(now) } else { state.limiter?.noteCompletion() }
    }
    dispatch()
  }

  private static func mayAdmit(_ state: inout State, at now: ContinuousClock.Instant?) -> Bool {
    guard state.freeCount > 0, !state.isSuspended else { return false }
    guard let now else { return true }
    return state.limiter?.isOpen(now) ?? true
  }

  /// Admits who may be admitted; sets a timer for those whom only the limiter holds back.
  private func dispatch() {
    let now = timing?.now()
    let (admitted, delay, isCalm, observer) = state.withLock { state in
      let wasUrgent = state.waiting.count(from: .normal) > 0
      var admitted: [CheckedContinuation<Bool, Never>] = []
      while state.waiting.count > 0, Self.mayAdmit(&state, at: now), let next = state.waiting.popFirst() {
        state.freeCount -= 1
        // Who waited for a place only is free.
        if state.isHolding { state.limiter?.noteLateStart() }
        admitted.append(next)
      }
      lineLength.count = state.waiting.count
      var delay: Duration?
      if state.waiting.count > 0, state.freeCount > 0, !state.isSuspended, !state.isTimerSet {
        state.isTimerSet = true
        state.isHolding = true
        delay = state.limiter?.delay
      }
      if state.waiting.count == 0 { state.isHolding = false }
      let isCalm = wasUrgent && state.waiting.count(from: .normal) == 0
      return (admitted, delay, isCalm, state.lineObserver)
    }
    for continuation in admitted { continuation.resume(returning: true) }
    if isCalm { calm?.send() }
    for _ in admitted { observer?() }
    guard let delay, let timing else { return }
    Task.detached { [weak self] in
      try? await timing.sleep(delay)
      self?.wake(timing)
    }
  }

  private func wake(_ timing: Timing) {
    let now = timing.now()
    state.withLock { state in
      state.isTimerSet = false
      guard state.waiting.count > 0 else { return }
      state.limiter?.noteDelayHasPassed(now)
    }
    dispatch()
  }
}
