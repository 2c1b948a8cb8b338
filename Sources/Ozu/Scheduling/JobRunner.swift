import Dispatch
import OzuSynchronization

/// Carries out what a `JobGraph` asks for: gives work to threads and to Swift tasks, tells who waits, keeps the time.
///
/// One lock guards the graph. Each operation takes it, changes the graph, opens it, and carries out the effects on the
/// calling thread; so no code of an app, no I/O and no release of the last reference to an app's object runs under it. A
/// thread that has finished a step goes on with the step that inherits its place.
final class JobRunner<Key: Hashable & Sendable>: Sendable {
  typealias Graph = JobGraph<Key, any JobWork<Key>, any JobWaiter<Key>>

  private struct State {
    var graph: Graph
    /// When the timer that is set rings.
    var alarm: ContinuousClock.Instant?
  }

  private let state: Mutex<State>
  private let queues: [DispatchQueue]
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
    queues = stations.indices.map { DispatchQueue(label: "ozu.station.\($0)", attributes: .concurrent) }
    self.suspending = suspending
    self.now = now
    self.sleep = sleep
    self.onCalm = onCalm
  }

  /// The graph as it is now, for who only looks.
  func look<Value: Sendable>(_ look: (Graph) -> Value) -> Value { state.withLock { look($0.graph) } }

  /// Waits for the job of a key, which is made unless it is there already.
  ///
  /// The end may be told before this returns.
  ///
  /// - Parameter make: called under the lock, so it must only put objects together.
  func subscribe(
    _ waiter: any JobWaiter<Key>, to key: Key?, priority: ImagePriority,
    make: () -> (work: any JobWork<Key>, station: StationID, size: Int)
  ) -> (id: SlotID, isNew: Bool) {
    change { graph, now, effects in
      graph.subscribe(waiter, to: key, priority: priority, now: now, &effects) {
        let (work, station, size) = make()
        return (work, .station(station, size: size))
      }
    }
  }

  /// Gives up waiting.
  ///
  /// - Returns: whether it will hear nothing; false when it has been told, or is being told.
  @discardableResult
  func unsubscribe(_ id: SlotID) -> Bool {
    change { graph, now, effects in graph.unsubscribe(id, now: now, &effects) }
  }

  func setPriority(_ id: SlotID, to priority: ImagePriority) {
    change { graph, _, effects in graph.setPriority(id, to: priority, &effects) }
  }

  /// Ends a subscription at an instant; `nil` takes an earlier deadline away.
  func setDeadline(_ id: SlotID, at instant: ContinuousClock.Instant?, tag: Int, endsAtStart: Bool = false) {
    change { graph, _, _ in
      graph.setDeadline(id, at: instant, Graph.Deadline(tag: tag, endsAtStart: endsAtStart))
    }
  }

  /// Gives out no places of a station, or gives them out again. For tests that arrange who waits.
  func setSuspended(_ station: StationID, _ isSuspended: Bool) {
    change { graph, now, effects in graph.setSuspended(station, isSuspended, now: now, &effects) }
  }

  // MARK: Changes and their effects

  @discardableResult
  private func change<Value: Sendable>(
    _ body: (inout Graph, ContinuousClock.Instant, inout Graph.Effects) -> Value
  ) -> Value {
    let (value, effects) = apply(body)
    _ = carry(out: effects, finished: nil, on: nil)
    return value
  }

  private func apply<Value: Sendable>(
    _ body: (inout Graph, ContinuousClock.Instant, inout Graph.Effects) -> Value
  ) -> (Value, Graph.Effects) {
    // Before the lock: the clock may be the app's.
    let now = now()
    let (value, effects, becameCalm, alarm) = state.withLock {
      state -> (Value, Graph.Effects, Bool, ContinuousClock.Instant?) in
      var effects = Graph.Effects()
      let wasCalm = state.graph.isCalm
      let value = body(&state.graph, now, &effects)
      let becameCalm = !wasCalm && state.graph.isCalm
      let due = state.graph.alarm
      guard let due, state.alarm.map({ due < $0 }) ?? true else { return (value, effects, becameCalm, nil) }
      state.alarm = due
      return (value, effects, becameCalm, due)
    }
    if let alarm { set(alarm, now: now) }
    if becameCalm { onCalm() }
    return (value, effects)
  }

  private func set(_ alarm: ContinuousClock.Instant, now: ContinuousClock.Instant) {
    Task.detached { [weak self, sleep] in
      try? await sleep(now.duration(to: alarm))
      self?.ring(alarm)
    }
  }

  private func ring(_ alarm: ContinuousClock.Instant) {
    state.withLock { state in
      if state.alarm == alarm { state.alarm = nil }
    }
    change { graph, now, effects in graph.tick(now: max(now, alarm), &effects) }
  }

  /// - Returns: a step that goes on with the place of the one that the calling thread has finished.
  private func carry(
    out effects: Graph.Effects, finished: (any JobWork<Key>)?, on station: StationID?
  ) -> Graph.Effects.Start? {
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
    if let finished { for waiter in effects.answers { waiter.jobEnded(finished) } }
    for (waiter, tag) in effects.overdue { waiter.jobOverdue(tag) }
    return next
  }

  private func begin(_ start: Graph.Effects.Start) {
    guard suspending.contains(start.station) else {
      return queues[start.station.index].async { self.run(start) }
    }
    let task = Task.detached {
      let job = RunningJob(id: start.job, station: start.station, input: start.input, runner: self)
      let step = await start.payload.perform(job)
      _ = self.take(step, of: start.job, start.payload, on: nil)
    }
    start.payload.cancellation.bind(task)
  }

  private func run(_ start: Graph.Effects.Start) {
    var next: Graph.Effects.Start? = start
    while let start = next {
      let job = RunningJob(id: start.job, station: start.station, input: start.input, runner: self)
      next = take(start.payload.run(job), of: start.job, start.payload, on: start.station)
    }
  }

  /// Does with a job what its work says.
  private func take(
    _ step: JobStep<Key>, of id: SlotID, _ work: any JobWork<Key>, on station: StationID?
  ) -> Graph.Effects.Start? {
    var finished: (any JobWork<Key>)?
    let effects: Graph.Effects
    switch step {
    case .go(let next, let size):
      (_, effects) = apply { graph, now, effects in
        graph.move(id, to: .station(next, size: size), now: now, &effects)
      }
    case .finish(let succeeded):
      finished = work
      (_, effects) = apply { graph, now, effects in
        graph.finish(id, succeeded: succeeded, now: now, &effects)
      }
    case .depend(let other):
      let dependence: Graph.Dependence
      (dependence, effects) = apply { graph, now, effects in
        graph.depend(
          id, on: other.key, then: other.then.map { .station($0, size: other.size) } ?? .nowhere, now: now,
          &effects, deadline: other.deadline.map { ($0.instant, Graph.Deadline(tag: $0.tag)) }
        ) {
          let (work, station, size) = other.make()
          return (work, .station(station, size: size))
        }
      }
      if dependence == .circular {
        _ = carry(out: effects, finished: nil, on: nil)
        let job = RunningJob(id: id, station: nil, input: nil, runner: self)
        return take(work.resume(job, overdue: nil), of: id, work, on: nil)
      }
    }
    return carry(out: effects, finished: finished, on: station)
  }
}
