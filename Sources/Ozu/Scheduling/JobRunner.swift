import Dispatch
import OzuSynchronization

/// Carries out what a `JobGraph` asks for: gives work to threads and to Swift tasks, tells who waits, keeps the time.
///
/// One lock guards the graph. Each operation takes it, changes the graph, opens it, and carries out the effects on the
/// calling thread; so no code of an app, no I/O and no release of the last reference to an app's object runs under it. A
/// thread that has finished a step goes on with the step that inherits its place.
final class JobRunner: Sendable {
  typealias Graph = JobGraph<JobKey, JobWork, any JobWaiter>

  private struct State {
    var graph: Graph
    /// Empty while the lock is open: what an operation asks for leaves the lock with the object.
    var effects = Effects()
    /// An empty object for the next time.
    var spare: Effects?
    /// When the timer that is set rings.
    var alarm: JobInstant?
  }

  /// What is to be carried out, in an object: the value is large, and most operations on jobs that wait ask for nothing.
  ///
  /// `Sendable`: it is written under the lock, and then belongs to the thread that has taken it out.
  private final class Effects: @unchecked Sendable {
    var list = Graph.Effects()
  }

  private let state: Mutex<State>
  /// Of the system: a queue of our own would hand each piece of work on to this one.
  private let threads = DispatchQueue.global()
  /// Stations whose work suspends.
  private let suspending: Set<StationID>
  private let now: @Sendable () -> ContinuousClock.Instant
  private let sleep: @Sendable (Duration) async throws -> Void
  private let onCalm: @Sendable () -> Void

  /// - Parameters:
  ///   - stations: by their numbers.
  ///   - suspending: those whose work suspends instead of blocking: a Swift task each, no thread.
  ///   - onCalm: called when the last one that prefetching stands back for has left the queues.
  init(
    stations: [Station], suspending: Set<StationID> = [.network],
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    onCalm: @escaping @Sendable () -> Void = {}
  ) {
    state = Mutex(State(graph: Graph(stations: stations)))
    self.suspending = suspending
    self.now = now
    self.sleep = sleep
    self.onCalm = onCalm
  }

  /// The graph as it is now, for who only looks.
  func look<Value: Sendable>(_ look: (Graph) -> Value) -> Value { state.withLock { look($0.graph) } }

  /// Whether nothing that prefetching stands back for waits for a place.
  var isCalm: Bool { state.withLock { $0.graph.isCalm } }

  /// A subscription: its number, the work it is to, and whether it has made it.
  struct Subscription: Sendable {
    let id: SlotID
    let work: JobWork
    let isNew: Bool
  }

  /// Waits for the job of a key, which is made unless it is there already.
  ///
  /// The end may be told before this returns.
  ///
  /// - Parameters:
  ///   - key: `nil` for work that is not shared.
  ///   - make: called under the lock, so it must only put objects together.
  func subscribe(
    _ waiter: any JobWaiter, to key: JobKey?, priority: ImagePriority, deadline: JobDeadline? = nil,
    make: () -> JobStart
  ) -> Subscription {
    let (subscription, undecided) = change { graph, now, effects -> (Subscription, SlotID?) in
      var isDeciding = false
      let (id, isNew) = graph.subscribe(waiter, to: key, priority: priority, now: now, &effects) {
        let start = make()
        isDeciding = start.station == nil
        return (start.work, start.placement)
      }
      if let deadline { graph.setDeadline(id, at: deadline.instant, Graph.Deadline(deadline)) }
      let (job, work) = graph.job(ofSubscription: id)
      return (Subscription(id: id, work: work, isNew: isNew), isDeciding ? job : nil)
    }
    if let undecided { begin(undecided, subscription.work) }
    return subscription
  }

  /// Gives up waiting.
  ///
  /// - Returns: whether it will hear nothing; false when it has been told, or is being told.
  @discardableResult
  func unsubscribe(_ id: SlotID) -> Bool {
    change { graph, now, effects in graph.unsubscribe(id, now: now, &effects) }
  }

  /// Makes a subscription as urgent as a closure says, which is asked under the lock: of several changes at once the
  /// last to be made is the last to have looked.
  func setPriority(_ id: SlotID, to priority: () -> ImagePriority) {
    change { graph, _, effects in graph.setPriority(id, to: priority(), &effects) }
  }

  /// Gives out no places of a station, or gives them out again. For tests that arrange who waits.
  func setSuspended(_ station: StationID, _ isSuspended: Bool) {
    change { graph, now, effects in graph.setSuspended(station, isSuspended, now: now, &effects) }
  }

  /// Waits with the place of a job given back, and then for another one.
  ///
  /// - Parameter body: called without a place.
  /// - Returns: whether the work is still wanted.
  func pause(_ job: RunningJob, of work: JobWork, _ body: () async -> Bool) async -> Bool {
    guard let station = job.station,
      change({ graph, now, effects in graph.move(job.id, to: .nowhere, now: now, &effects) }),
      await body()
    else { return false }
    return await work.cancellation.waitForPlace {
      change { graph, now, effects in
        _ = graph.move(job.id, to: .station(station, size: 0), now: now, &effects)
      }
    }
  }

  /// Runs work that is no job on a thread, with a place of a station that is free and that nobody waits for; `false` when
  /// there is none.
  func lend(_ station: StationID, _ work: @escaping @Sendable () -> Void) -> Bool {
    guard change({ graph, now, _ in graph.lend(station, now: now) }) else { return false }
    threads.async {
      work()
      self.change { graph, now, effects in graph.takeBack(station, now: now, &effects) }
    }
    return true
  }

  // MARK: Changes and their effects

  @discardableResult
  private func change<Value: Sendable>(
    _ body: (inout Graph, JobInstant, inout Graph.Effects) -> Value
  ) -> Value {
    let (value, effects) = apply(body)
    _ = carry(out: effects, finished: nil, on: nil)
    return value
  }

  /// - Returns: what is to be carried out; `nil` for nothing.
  private func apply<Value: Sendable>(
    _ body: (inout Graph, JobInstant, inout Graph.Effects) -> Value
  ) -> (Value, Effects?) {
    // Before the lock: the clock may be the app's.
    let now = JobInstant(now())
    let (value, effects, alarm) = state.withLock {
      state -> (Value, Effects?, JobInstant?) in
      let wasCalm = state.graph.isCalm
      let value = body(&state.graph, now, &state.effects.list)
      state.effects.list.becameCalm = !wasCalm && state.graph.isCalm
      var effects: Effects?
      if !state.effects.list.isEmpty {
        effects = state.effects
        state.effects = state.spare.take() ?? Effects()
      }
      let due = state.graph.alarm
      guard let due, state.alarm.map({ due < $0 }) ?? true else { return (value, effects, nil) }
      state.alarm = due
      return (value, effects, due)
    }
    if let alarm { set(alarm, now: now) }
    return (value, effects)
  }

  private func set(_ alarm: JobInstant, now: JobInstant) {
    Task.detached { [weak self, sleep] in
      try? await sleep(now.duration(to: alarm))
      self?.ring(alarm)
    }
  }

  private func ring(_ alarm: JobInstant) {
    state.withLock { state in
      if state.alarm == alarm { state.alarm = nil }
    }
    change { graph, now, effects in graph.tick(now: max(now, alarm), &effects) }
  }

  /// - Returns: a step that goes on with the place of the one that the calling thread has finished.
  private func carry(
    out effects: Effects?, finished: JobWork?, on station: StationID?
  ) -> Graph.Effects.Start? {
    guard let effects else {
      finished?.left()
      return nil
    }
    var next: Graph.Effects.Start?
    effects.list.starts.forEach { start in
      if start.continues, start.station == station { next = start } else { begin(start) }
    }
    effects.list.cancellations.forEach { $0.cancellation.raise() }
    effects.list.levels.forEach { $0.payload.note($0.level) }
    effects.list.wakes.forEach { wake in
      let job = RunningJob(id: wake.job, station: nil, input: wake.input, runner: self)
      _ = take(wake.payload.resume(job, overdue: wake.overdue), of: wake.job, wake.payload, on: nil)
    }
    if let finished {
      effects.list.answers.forEach { $0.jobEnded(finished) }
      finished.left()
    }
    effects.list.overdue.forEach { $0.waiter.jobOverdue($0.tag, $0.standing) }
    effects.list.released.forEach { $0.left() }
    let becameCalm = effects.list.becameCalm
    // What nobody else holds ends here, under no lock.
    effects.list.clear()
    state.withLock { state in
      if state.spare == nil { state.spare = effects }
    }
    if becameCalm { onCalm() }
    return next
  }

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
      next = take(start.payload.run(job), of: start.job, start.payload, on: start.station)
    }
  }

  /// Has a job that was made to begin nowhere say where it goes; so does one that would have waited for itself.
  private func begin(_ id: SlotID, _ work: JobWork) {
    let job = RunningJob(id: id, station: nil, input: nil, runner: self)
    _ = take(work.resume(job, overdue: nil), of: id, work, on: nil)
  }

  /// Does with a job what its work says.
  private func take(
    _ step: JobStep, of id: SlotID, _ work: JobWork, on station: StationID?
  ) -> Graph.Effects.Start? {
    switch step {
    case .go(let next, let size):
      let (_, effects) = apply { graph, now, effects in
        graph.move(id, to: .station(next, size: size), now: now, &effects)
      }
      return carry(out: effects, finished: nil, on: station)
    case .finish(let succeeded):
      let (isOver, effects) = apply { graph, now, effects in
        graph.finish(id, succeeded: succeeded, now: now, &effects)
      }
      return carry(out: effects, finished: isOver ? work : nil, on: station)
    case .depend(let other): return depend(on: other, id, work, station)
    }
  }

  private func depend(
    on other: JobDependence, _ id: SlotID, _ work: JobWork, _ station: StationID?
  ) -> Graph.Effects.Start? {
    let ((dependence, dependency, begins), effects) = apply {
      graph, now, effects -> (Graph.Dependence, (id: SlotID, payload: JobWork)?, Bool) in
      var isDeciding = false
      let dependence = graph.depend(
        id, on: other.key, then: other.then.map { .station($0, size: other.size) } ?? .nowhere, now: now,
        &effects, deadline: other.deadline.map { ($0.instant, Graph.Deadline($0)) }
      ) {
        let start = other.make()
        isDeciding = start.station == nil
        return (start.work, start.placement)
      }
      return (dependence, graph.dependency(of: id), isDeciding)
    }
    if let dependency { work.waits(for: dependency.payload) }
    let next = carry(out: effects, finished: nil, on: station)
    if dependence == .circular { begin(id, work) }
    if begins, let dependency { begin(dependency.id, dependency.payload) }
    return next
  }
}

extension JobGraph.Deadline {
  fileprivate init(_ deadline: JobDeadline) {
    self.init(tag: deadline.tag, endsAtStart: deadline.endsAtStart)
  }
}

extension RunningJob {
  fileprivate init(_ start: JobRunner.Graph.Effects.Start, runner: JobRunner) {
    self.init(
      id: start.job, station: start.station, level: start.level, input: start.input, runner: runner)
  }
}
