import Ozu
import OzuTesting

extension ModelRun {
  // MARK: Comparing

  mutating func compare(_ effects: Graph.Effects, _ expected: ExpectedEffects, _ operation: String)
    throws(Mismatch)
  {
    step += 1
    let told = ExpectedEffects(effects)
    try check(told.sorted == expected.sorted, operation, "\(told.sorted), not \(expected.sorted)")
    for start in effects.starts {
      if start.station == .network, endless.contains(start.payload) {
        coverage.endless += 1
        stuck[start.payload] = start.job
      } else {
        inHand.append((start.payload, start.job))
      }
      if start.continues { coverage.successors += 1 }
    }
    for wake in effects.wakes { inHand.append((wake.payload, wake.job)) }
    for waiter in told.answers + told.overdue {
      guard let index = waiting.firstIndex(where: { $0.waiter == waiter }) else {
        return try check(false, operation, "\(waiter) is answered and does not wait")
      }
      waiting.remove(at: index)
      if let nester = nested.removeValue(forKey: waiter) { resuming.append(nester) }
    }
    coverage.overdue += told.overdue.count
    coverage.abandoned += told.cancellations.count
    for station in StationID.allCases {
      let (running, queued) = (graph.runningCount(in: station), graph.queuedCount(in: station))
      try check(
        running == model.runningCount(in: station) && queued == model.queuedCount(in: station), operation,
        "station \(station.index): \(running) run and \(queued) wait")
      try check(
        graph.abandonedCount(in: station) == model.abandonedCount(in: station), operation,
        "\(graph.abandonedCount(in: station)) are abandoned in station \(station.index)")
      coverage.mostQueued = max(coverage.mostQueued, queued)
      let hasOrigins = model.stations[station.index].originWidth != nil
      if hasOrigins, queued > 0, running < model.stations[station.index].width,
        model.ready(for: station).isEmpty
      {
        coverage.originFull += 1
      }
    }
    coverage.freed += told.cancellations.count { stuck[$0] != nil }
    if model.queuedCount(in: .files) > 0, model.standsBack(.files) { coverage.heldBack += 1 }
    try check(graph.isIdle == model.isIdle, operation, "idle: \(graph.isIdle)")
    if let reason = graph.brokenInvariant(now: now) { try check(false, operation, reason) }
    if step % 32 == 0 { try compareJobs(operation) }
  }

  /// Compares every job: its state, its priority and the number of its subscribers.
  func compareJobs(_ operation: String) throws(Mismatch) {
    var expected: [Int: (NaiveGraph.State, ImagePriority, Int)] = [:]
    let levels = model.levels()
    for job in model.jobs {
      if case .abandoned = job.state { continue }
      expected[job.payload] = (
        job.state, levels[job.payload] ?? .veryLow, model.subscriberCount(of: job.payload)
      )
    }
    let snapshots = graph.snapshots
    try check(snapshots.count == expected.count, operation, "\(snapshots.count) jobs, not \(expected.count)")
    for snapshot in snapshots {
      guard let (state, level, count) = expected[snapshot.payload] else {
        return try check(false, operation, "job \(snapshot.payload) is unknown")
      }
      let own: NaiveGraph.State =
        switch snapshot.state {
        case .deciding: .deciding
        case .queued(let station): .queued(station)
        case .running(let station): .running(station)
        case .parked(_, let then):
          .parked(
            on: graph.dependency(of: snapshot.id)?.payload ?? -1,
            then: then)
        case .abandoned(let station): .abandoned(station)
        }
      try check(
        own == state && snapshot.level == level && snapshot.subscriberCount == count, operation,
        "job \(snapshot.payload) is \(own), \(snapshot.level), with \(snapshot.subscriberCount) subscribers, "
          + "not \(state), \(level), \(count)")
    }
  }

  func check(_ condition: Bool, _ operation: String, _ reason: @autoclosure () -> String)
    throws(Mismatch)
  {
    guard !condition else { return }
    throw Mismatch(seed: seed, step: step, operation: operation, reason: reason())
  }

  // MARK: Random values

  mutating func anyKey() -> Int? {
    let key = Int.random(in: 0..<(jobCount / 2), using: &random)
    return Int.random(in: 0..<10, using: &random) == 0 ? nil : key
  }

  mutating func anyPriority() -> ImagePriority {
    ImagePriority.allCases.randomElement(using: &random) ?? .normal
  }

  mutating func anyPlacement() -> Graph.Placement {
    guard Int.random(in: 0..<8, using: &random) > 0 else { return .nowhere }
    let station = StationID.allCases[Int.random(in: 0..<StationID.allCases.count, using: &random)]
    let sizes = [0, 0, 1 << 10, 60 << 10, 100 << 10, 1 << 20, 3 << 20, 9 << 20]
    return .station(
      station, size: sizes[Int.random(in: 0..<sizes.count, using: &random)],
      origin: ModelRun.origins.randomElement(using: &random) ?? .none)
  }

  /// Few, so that they share their places.
  static let origins = [JobOrigin.none] + (1...3).map { JobOrigin(hashing: $0) }

  /// No two are equal, because of two equal deadlines either may end first.
  mutating func anyInstant() -> JobInstant {
    while true {
      let instant = now.advanced(by: .microseconds(Int.random(in: 1000..<400_000, using: &random)))
      if instants.insert(instant).inserted { return instant }
    }
  }
}
