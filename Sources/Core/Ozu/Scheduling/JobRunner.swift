import Dispatch
import OzuBase

/// Carries out the effects of a `JobGraph`: gives work to threads and Swift tasks, notifies subscribers, and sets the
/// timer.
///
/// One lock guards the graph. Each operation takes the lock, changes the graph, releases the lock, and carries out
/// the effects on the calling thread. So no code of an app, no I/O and no release of the last reference to an app's
/// object runs under it. A thread that has finished a step continues with the step that takes over its place.
final class JobRunner: Sendable {
  typealias Graph = JobGraph<JobKey, JobWork, any JobWaiter>

  private struct State: ~Copyable {
    var graph: Graph
    /// Empty, and with a small capacity: an operation fills the last one.
    var spares: [EffectList] = []
    /// When the timers fire that are set, the earliest last. A timer is set only if it is due before all others.
    var alarms: [JobInstant] = []
  }

  /// The effects of one operation. An object, because to move eight lists into the locked state and out of it took a tenth of a
  /// start.
  ///
  /// Unchecked: it belongs to the locked state, or to the one operation that has taken it out. So accesses never overlap.
  private final class EffectList: @unchecked Sendable {
    @exclusivity(unchecked) var effects = Graph.Effects()
  }

  /// The number of lists that are kept: enough for the threads, or nested calls, that carry out effects at the same
  /// time.
  private static let spareCount = 16

  private let state: Mutex<State>
  /// The global queue of the system: a queue of our own would forward each block to it.
  private let threads = DispatchQueue.global()
  /// Stations whose work suspends.
  private let suspending: Set<StationID>
  private let now: @Sendable () -> ContinuousClock.Instant
  private let sleep: @Sendable (Duration) async throws -> Void
  private let onIdle: @Sendable () -> Void

  /// - Parameters:
  ///   - stations: in the order of `StationID.index`.
  ///   - suspending: the stations whose work suspends instead of blocking. A job there runs in a Swift task and takes
  ///     no thread.
  ///   - onIdle: called when the last job that makes prefetching wait has left the queues.
  init(
    stations: [Station], suspending: Set<StationID> = [.network],
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    onIdle: @escaping @Sendable () -> Void = {}
  ) {
    state = Mutex(State(graph: Graph(stations: stations)))
    self.suspending = suspending
    self.now = now
    self.sleep = sleep
    self.onIdle = onIdle
  }

  /// Reads the graph under the lock.
  func look<Value: Sendable>(_ look: (borrowing Graph) -> Value) -> Value {
    state.withLock { look($0.graph) }
  }

  /// The priority of a job; `normal` when it is over.
  func level(of job: SlotID) -> ImagePriority { look { $0.level(of: job) } ?? .normal }

  /// Whether no job that makes prefetching wait is in a queue.
  var isIdle: Bool { state.withLock { $0.graph.isIdle } }

  /// A subscription: its identifier, and the work of its job.
  struct Subscription: Sendable {
    let id: SlotID
    let work: JobWork
  }

  /// Subscribes to the job of a key. A job that does not exist yet is made.
  ///
  /// The subscriber may be notified of the end before this returns.
  ///
  /// - Parameters:
  ///   - key: `nil` for work that is not shared.
  ///   - make: called under the lock, so it must only construct objects.
  func subscribe(
    _ waiter: any JobWaiter, to key: JobKey?, priority: ImagePriority, deadline: JobDeadline? = nil,
    make: () -> JobStart
  ) -> Subscription {
    let subscription = subscribe(
      waiter, to: key, within: nil, priority: priority, deadline: deadline, make: make)
    guard let subscription else { preconditionFailure("only a subscriber within a job can wait for itself") }
    return subscription
  }

  /// The same for a subscriber that is the owner of a job, in the middle of its work.
  ///
  /// - Returns: nil if the subscriber would wait for itself.
  func subscribe(
    _ waiter: any JobWaiter, to key: JobKey?, within nester: SlotID?, priority: ImagePriority,
    deadline: JobDeadline? = nil, make: () -> JobStart
  ) -> Subscription? {
    var work: JobWork?
    var (id, job) = (SlotID?.none, SlotID?.none)
    var isDeciding = false
    // The closure returns the time alone: an optional of several values would be copied and destroyed by slow calls.
    let now = change { graph, now, effects in
      if let nester, graph.wouldWaitForItself(nester, on: key) { return now }
      let (subscription, _) = graph.subscribe(
        waiter, to: key, within: nester, priority: priority, now: now, &effects
      ) {
        let start = make()
        isDeciding = start.station == nil
        return (start.work, start.placement)
      }
      if let deadline { graph.setDeadline(subscription, deadline) }
      id = subscription
      (job, work) = graph.job(ofSubscription: subscription)
      return now
    }
    guard let id, let work else { return nil }
    if isDeciding, let job { decide(job, work, after: .begin, now) }
    return Subscription(id: id, work: work)
  }

  /// Removes a subscription.
  ///
  /// - Returns: true if the subscriber will not be notified; false if it has been notified, or is being notified.
  @discardableResult
  func unsubscribe(_ id: SlotID) -> Bool {
    change { graph, now, effects in graph.unsubscribe(id, now: now, &effects) }
  }

  /// Sets the priority of a subscription to the result of a closure, which is called under the lock. So if several
  /// threads change the priority at once, the last change also read the priority last.
  func setPriority(_ id: SlotID, to priority: () -> ImagePriority) {
    change { graph, now, effects in graph.setPriority(id, to: priority(), now: now, &effects) }
  }

  /// Suspends or resumes a station. Tests use this to arrange the queues.
  func setSuspended(_ station: StationID, _ isSuspended: Bool) {
    change { graph, now, effects in graph.setSuspended(station, isSuspended, now: now, &effects) }
  }

  /// Gives the place of a job back, waits for `body`, and then waits for a new place.
  ///
  /// - Parameter body: runs while the job has no place.
  /// - Returns: whether the job still has a subscriber.
  func pause(_ job: RunningJob, of work: JobWork, _ body: () async -> Bool) async -> Bool {
    guard giveBack(job), await body() else { return false }
    return await takeAgain(job, of: work)
  }

  /// Gives the place of a job back.
  ///
  /// - Returns: whether it had one, and still has a subscriber.
  func giveBack(_ job: RunningJob) -> Bool {
    change { graph, now, effects in graph.pause(job.id, now: now, &effects) }
  }

  /// Waits for a new place for a job that has given its own back.
  ///
  /// - Returns: whether the job still has a subscriber.
  func takeAgain(_ job: RunningJob, of work: JobWork) async -> Bool {
    guard let station = job.station, !work.cancellation.isRaised else { return false }
    return await work.cancellation.waitForPlace {
      change { graph, now, effects in
        _ = graph.move(
          job.id, to: .station(station, size: 0, origin: job.origin), now: now, &effects)
      }
    }
  }

  /// Runs work that is not a job on a thread, with a free place of a station whose queue is empty. Returns `false` if
  /// there is no such place.
  func lend(_ station: StationID, _ work: @escaping @Sendable () -> Void) -> Bool {
    guard change({ graph, now, _ in graph.lend(station, now: now) }) else { return false }
    threads.async {
      work()
      self.change { graph, now, effects in graph.takeBack(station, now: now, &effects) }
    }
    return true
  }

  // MARK: Changes and their effects

  @discardableResult @inline(__always)
  private func change<Value: Sendable>(
    _ body: (inout Graph, JobInstant, inout Graph.Effects) -> Value
  ) -> Value {
    let (value, list) = apply(body)
    if let list { _ = carry(out: list, finished: nil, on: nil) }
    return value
  }

  /// - Parameter instant: the current time, if the caller has just read it.
  /// - Returns: the effects to carry out; `nil` for none.
  @inline(__always)
  private func apply<Value: Sendable>(
    _ body: (inout Graph, JobInstant, inout Graph.Effects) -> Value, _ instant: JobInstant? = nil
  ) -> (Value, EffectList?) {
    // Read before the lock: the clock may be code of the app.
    let now = instant ?? JobInstant(now())
    var alarm: JobInstant?
    let (value, list) = state.withLock { state -> (Value, EffectList?) in
      let wasIdle = state.graph.isIdle
      let list = state.spares.popLast() ?? EffectList()
      let value = body(&state.graph, now, &list.effects)
      list.effects.becameIdle = !wasIdle && state.graph.isIdle
      if let due = state.graph.alarm, state.alarms.last.map({ due < $0 }) ?? true {
        state.alarms.append(due)
        alarm = due
      }
      guard list.effects.isEmpty else { return (value, list) }
      state.spares.append(list)
      return (value, nil)
    }
    if let alarm { set(alarm, now: now) }
    return (value, list)
  }

  private func set(_ alarm: JobInstant, now: JobInstant) {
    Task.detached { [weak self, sleep] in
      try? await sleep(now.duration(to: alarm))
      self?.ring(alarm)
    }
  }

  private func ring(_ alarm: JobInstant) {
    state.withLock { state in
      if let index = state.alarms.lastIndex(of: alarm) { state.alarms.remove(at: index) }
    }
    change { graph, now, effects in graph.tick(now: max(now, alarm), &effects) }
  }

  /// - Returns: the job that takes over the place of the one that the calling thread has finished.
  private func carry(
    out list: EffectList?, finished: JobWork?, on station: StationID?
  ) -> Graph.Effects.Start? {
    guard let list else {
      finished?.didLeaveGraph()
      return nil
    }
    var next: Graph.Effects.Start?
    // Before the starts: these may have the places of the cancelled jobs.
    for work in list.effects.cancellations { work.cancellation.raise() }
    for start in list.effects.starts {
      if start.continues, start.station == station { next = start } else { begin(start) }
    }
    for wake in list.effects.wakes {
      decide(wake.job, wake.payload, after: JobEvent(wake.reason))
    }
    if let finished {
      for waiter in list.effects.answers { waiter.jobEnded(finished) }
      finished.didLeaveGraph()
    }
    for (waiter, standing) in list.effects.overdue { waiter.jobOverdue(standing) }
    for work in list.effects.released { work.didLeaveGraph() }
    let becameIdle = list.effects.becameIdle
    // Objects of which this is the last reference are released here, outside the lock.
    list.effects.clear()
    state.withLock { state in
      if state.spares.count < Self.spareCount { state.spares.append(list) }
    }
    if becameIdle { onIdle() }
    return next
  }
}

/// The steps of jobs: starting their work, and carrying out the steps that it returns.
extension JobRunner {
  private func begin(_ start: Graph.Effects.Start) {
    guard suspending.contains(start.station) else {
      return threads.async { self.run(start) }
    }
    if start.payload.cancellation.endPause() { return }
    let task = Task.detached {
      let job = RunningJob(start, runner: self)
      let step = await start.payload.perform(job)
      _ = self.take(step, of: start.job, start.payload, on: nil)
    }
    start.payload.cancellation.bind(task)
  }

  private func run(_ start: Graph.Effects.Start) {
    var next: Graph.Effects.Start? = start
    while let start = next {
      let job = RunningJob(start, runner: self)
      let step = start.payload.next(.slot(after: start.input), job)
      next = take(step, of: start.job, start.payload, on: start.station)
    }
  }

  /// Lets a job decide that has no station.
  private func decide(_ id: SlotID, _ work: JobWork, after event: JobEvent, _ instant: JobInstant? = nil) {
    let job = RunningJob(id: id, station: nil, runner: self)
    _ = take(work.next(event, job), of: id, work, on: nil, instant)
  }

  /// Carries out the step that a job's work has returned.
  private func take(
    _ step: consuming JobStep, of id: SlotID, _ work: JobWork, on station: StationID?,
    _ instant: JobInstant? = nil
  ) -> Graph.Effects.Start? {
    switch consume step {
    case .go(let next, let size, let origin):
      let (_, list) = apply(
        { $0.move(id, to: .station(next, size: size, origin: origin), now: $1, &$2) }, instant)
      return carry(out: list, finished: nil, on: station)
    case .finish(let succeeded):
      let (isOver, list) = apply({ $0.finish(id, succeeded: succeeded, now: $1, &$2) }, instant)
      return carry(out: list, finished: isOver ? work : nil, on: station)
    case .depend(let other): return depend(on: other, id, work, station, instant)
    }
  }

  private func depend(
    on other: JobDependence, _ id: SlotID, _ work: JobWork, _ station: StationID?, _ instant: JobInstant?
  ) -> Graph.Effects.Start? {
    var dependency: JobWork?
    var dependencyID: SlotID?
    var begins = false
    let (dependence, list) = apply(
      { graph, now, effects in
        let dependence = graph.depend(
          id, on: other.key, then: other.then.map { .station($0, size: 0) } ?? .nowhere, now: now,
          &effects, deadline: other.deadline
        ) {
          let start = other.make()
          begins = start.station == nil
          return (start.work, start.placement)
        }
        if let waited = graph.dependency(of: id) { (dependencyID, dependency) = waited }
        return dependence
      }, instant)
    if let dependency { work.waits(for: dependency) }
    let next = carry(out: list, finished: nil, on: station)
    if dependence == .circular { decide(id, work, after: .circular) }
    if begins, let dependencyID, let dependency { decide(dependencyID, dependency, after: .begin) }
    return next
  }
}

extension RunningJob {
  fileprivate init(_ start: JobRunner.Graph.Effects.Start, runner: JobRunner) {
    self.init(id: start.job, station: start.station, level: start.level, runner: runner)
  }
}

extension JobEvent {
  fileprivate init(_ reason: JobRunner.Graph.Effects.Wake.Reason) {
    switch reason {
    case .finished(let work): self = .finished(work)
    case .overdue: self = .overdue
    }
  }
}
