/// The steps of jobs: starting their work, and carrying out the steps that it returns.
extension JobRunner {
  func begin(_ start: Graph.Effects.Start) {
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
  func decide(_ id: SlotID, _ work: JobWork, after event: JobEvent) {
    let job = RunningJob(id: id, station: nil, runner: self)
    _ = take(work.next(event, job), of: id, work, on: nil)
  }

  /// Carries out the step that a job's work has returned.
  func take(
    _ step: consuming JobStep, of id: SlotID, _ work: JobWork, on station: StationID?
  ) -> Graph.Effects.Start? {
    var effects = Graph.Effects()
    switch consume step {
    case .go(let next, let size, let origin):
      _ = apply({ $0.move(id, to: .station(next, size: size, origin: origin), now: $1, &$2) }, &effects)
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
    if dependence == .circular { decide(id, work, after: .circular) }
    if begins, let dependency { decide(dependency.id, dependency.payload, after: .begin) }
    return next
  }
}

extension RunningJob {
  fileprivate init(_ start: JobRunner.Graph.Effects.Start, runner: JobRunner) {
    self.init(id: start.job, station: start.station, level: start.level, runner: runner)
  }
}
