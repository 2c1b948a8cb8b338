import Dispatch
import OzuSynchronization

/// Carries out what a `JobGraph` asks for: gives work to threads and to Swift tasks, tells who waits, keeps the time.
///
/// One lock guards the graph. Each operation takes it, changes the graph, opens it, and carries out the effects on the
/// calling thread; so no code of an app, no I/O and no release of the last reference to an app's object runs under it. A
/// thread that has finished a step goes on with the step that inherits its place.
final class JobRunner: Sendable {
  typealias Graph = JobGraph<JobKey, JobWork, any JobWaiter>

  private struct State: ~Copyable {
    var graph: Graph
    /// Empty lists with room for a few. An operation fills the last, and takes it out of the lock if anything is in it.
    var spares = [Graph.Effects()]
    /// When the timer that is set rings.
    var alarm: JobInstant?
  }

  /// As many lists are kept as threads carry effects out at once, or one within another.
  private static let spareCount = 16

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
  func look<Value: Sendable>(_ look: (borrowing Graph) -> Value) -> Value {
    state.withLock { look($0.graph) }
  }

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
    var effects = Graph.Effects()
    let value = apply(body, &effects)
    _ = carry(out: &effects, finished: nil, on: nil)
    return value
  }

  /// - Parameter effects: empty; what is to be carried out then. It is never copied, which would take as long as the change.
  private func apply<Value: Sendable>(
    _ body: (inout Graph, JobInstant, inout Graph.Effects) -> Value, _ effects: inout Graph.Effects
  ) -> Value {
    // Before the lock: the clock may be the app's.
    let now = JobInstant(now())
    let (value, alarm) = state.withLock { state -> (Value, JobInstant?) in
      let wasCalm = state.graph.isCalm
      let last = state.spares.count - 1
      let value = body(&state.graph, now, &state.spares[last])
      state.spares[last].becameCalm = !wasCalm && state.graph.isCalm
      if !state.spares[last].isEmpty {
        swap(&effects, &state.spares[last])
        if last > 0 { state.spares.removeLast() }
      }
      guard let due = state.graph.alarm, state.alarm.map({ due < $0 }) ?? true else { return (value, nil) }
      state.alarm = due
      return (value, due)
    }
    if let alarm { set(alarm, now: now) }
    return value
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
    out effects: inout Graph.Effects, finished: JobWork?, on station: StationID?
  ) -> Graph.Effects.Start? {
    if effects.isEmpty {
      finished?.left()
      return nil
    }
    var next: Graph.Effects.Start?
    for start in effects.starts {
      if start.continues, start.station == station { next = start } else { begin(start) }
    }
    for work in effects.cancellations { work.cancellation.raise() }
    for (work, level) in effects.levels { work.note(level) }
    for wake in effects.wakes {
      let job = RunningJob(id: wake.job, station: nil, input: wake.input, runner: self)
      _ = take(wake.payload.resume(job, overdue: wake.overdue), of: wake.job, wake.payload, on: nil)
    }
    if let finished {
      for waiter in effects.answers { waiter.jobEnded(finished) }
      finished.left()
    }
    for (waiter, tag, standing) in effects.overdue { waiter.jobOverdue(tag, standing) }
    for work in effects.released { work.left() }
    let becameCalm = effects.becameCalm
    // What nobody else holds ends here, under no lock.
    effects.clear()
    state.withLock { state in
      guard state.spares.count < Self.spareCount else { return }
      state.spares.append(Graph.Effects())
      swap(&effects, &state.spares[state.spares.count - 1])
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
    _ step: consuming JobStep, of id: SlotID, _ work: JobWork, on station: StationID?
  ) -> Graph.Effects.Start? {
    var effects = Graph.Effects()
    switch consume step {
    case .go(let next, let size):
      _ = apply({ $0.move(id, to: .station(next, size: size), now: $1, &$2) }, &effects)
      return carry(out: &effects, finished: nil, on: station)
    case .finish(let succeeded):
      let isOver = apply({ $0.finish(id, succeeded: succeeded, now: $1, &$2) }, &effects)
      return carry(out: &effects, finished: isOver ? work : nil, on: station)
    case .depend(let other): return depend(on: other, id, work, station)
    }
  }

  private func depend(
    on other: JobDependence, _ id: SlotID, _ work: JobWork, _ station: StationID?
  ) -> Graph.Effects.Start? {
    var effects = Graph.Effects()
    let (dependence, dependency, begins) = apply(
      {
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
      }, &effects)
    if let dependency { work.waits(for: dependency.payload) }
    let next = carry(out: &effects, finished: nil, on: station)
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
