import Ozu
import OzuTesting

/// Random operations on the scheduler and on its naive model, compared after each one.
///
/// A run makes a number of jobs, many of which share keys, in stations of random widths. One station has a limiter,
/// one has back-pressure by the bytes that wait in another. The run starts, joins, cancels before and after the
/// start, changes priorities, moves, depends, finishes, fails, expires, lends places and suspends, and then lets
/// everything end.
package struct ModelRun: ~Copyable {
  package typealias Graph = JobGraph<Int, Int, Int>

  /// A difference between the two, or a broken invariant.
  package struct Mismatch: Error, CustomStringConvertible {
    package let seed: UInt64
    let step: Int
    let operation: String
    let reason: String

    package var description: String { "seed \(seed), step \(step), \(operation): \(reason)" }
  }

  /// The number of jobs to make.
  private let jobCount: Int
  private let seed: UInt64
  private var random: SeededGenerator
  private var graph: Graph
  private var model: NaiveGraph
  private var now = JobInstant(ContinuousClock.now)
  private var step = 0
  private var lastPayload = 0
  private var lastWaiter = 0
  private var instants: Set<JobInstant> = []
  /// The jobs that are running or deciding, so that their owners may call the graph.
  private var inHand: [(payload: Int, id: SlotID)] = []
  /// The waiting subscribers, with their subscriptions.
  private var waiting: [(waiter: Int, id: SlotID)] = []
  /// The subscriptions that have ended.
  private var gone: [SlotID] = []
  /// The stations of the lent places.
  private var lent: [StationID] = []
  /// The events of the run, to check that it covers them.
  package private(set) var coverage = Coverage()

  package init(seed: UInt64, jobCount: ClosedRange<Int>) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    self.jobCount = Int.random(in: jobCount, using: &random)
    var widths: [Int] = []
    for _ in StationID.allCases { widths.append(Int.random(in: 1...4, using: &random)) }
    let limiter = StartLimiter(rate: 30, burst: 1)
    let bytes = [0, 50 << 10, 2 << 20].randomElement(using: &random) ?? 0
    graph = Graph(
      stations: StationID.allCases.map { station in
        Station(
          width: widths[station.index], isForeground: station.index < 3,
          limiter: station == .network ? limiter : nil,
          backpressure: station == .files ? Station.Backpressure(of: .decode, above: bytes) : nil)
      })
    model = NaiveGraph(
      stations: StationID.allCases.map { station in
        (
          widths[station.index], station.index < 3, station == .network ? limiter : nil,
          station == .files ? (.decode, bytes) : nil
        )
      })
  }

  /// Runs to the end.
  ///
  /// - Throws: `Mismatch` at the first step after which the two differ.
  package mutating func run() throws(Mismatch) {
    while lastPayload < jobCount { try randomStep(startsOften: lastPayload < jobCount / 2) }
    for _ in 0..<jobCount { try randomStep(startsOften: false) }
    try end()
  }

  // MARK: Steps

  private mutating func randomStep(startsOften: Bool) throws(Mismatch) {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<(startsOften ? 70 : 25): try subscribe()
    case 0..<75: try lead()
    case 75..<82: try cancel()
    case 82..<88: try changePriority()
    case 88..<91: try setDeadline()
    case 91..<94: try tick()
    case 94..<97: try lend()
    default: try suspend(Bool.random(using: &random))
    }
  }

  private mutating func subscribe() throws(Mismatch) {
    lastWaiter += 1
    let (waiter, key, priority, placement) = (lastWaiter, anyKey(), anyPriority(), anyPlacement())
    let payload = lastPayload + 1
    var effects = Graph.Effects()
    let (id, isNew) = graph.subscribe(waiter, to: key, priority: priority, now: now, &effects) {
      (payload, placement)
    }
    if isNew {
      lastPayload = payload
      coverage.jobs += 1
    } else {
      coverage.joins += 1
    }
    waiting.append((waiter, id))
    if isNew, placement == .nowhere { inHand.append((payload, graph.job(ofSubscription: id).id)) }
    let told = model.subscribe(waiter, to: key, priority, payload: payload, placement, now: now)
    try compare(effects, told, "subscribe \(waiter) to \(String(describing: key)) at \(placement)")
  }

  /// The owner of a running or deciding job calls the graph.
  private mutating func lead() throws(Mismatch) {
    guard let index = inHand.indices.randomElement(using: &random) else { return }
    let (payload, id) = inHand.remove(at: index)
    var effects = Graph.Effects()
    let operation = Int.random(in: 0..<10, using: &random)
    switch operation {
    case 0..<5:
      let succeeded = operation < 4
      let isWanted = graph.finish(id, succeeded: succeeded, now: now, &effects)
      let (told, isExpected) = model.finish(payload, succeeded: succeeded, now: now)
      try check(isWanted == isExpected, "finish \(payload)", "wanted: \(isWanted)")
      try compare(effects, told, "finish \(payload), \(succeeded)")
    case 5..<8:
      let placement = anyPlacement()
      let isWanted = graph.move(id, to: placement, now: now, &effects)
      if isWanted, placement == .nowhere { inHand.append((payload, id)) }
      let (told, isExpected) = model.move(payload, to: placement, now: now)
      try check(isWanted == isExpected, "move \(payload)", "wanted: \(isWanted)")
      try compare(effects, told, "move \(payload) to \(placement)")
    default: try depend(payload, id)
    }
  }

  private mutating func depend(_ payload: Int, _ id: SlotID) throws(Mismatch) {
    let (key, then, placement) = (anyKey(), anyPlacement(), anyPlacement())
    let other = lastPayload + 1
    var deadline: (instant: JobInstant, deadline: Graph.Deadline)?
    if Int.random(in: 0..<5, using: &random) == 0 {
      deadline = (anyInstant(), Graph.Deadline(tag: other))
    }
    var effects = Graph.Effects()
    let before = graph.count
    let dependence = graph.depend(
      id, on: key, then: then, now: now, &effects, deadline: deadline
    ) { (other, placement) }
    if graph.count > before {
      lastPayload = other
      coverage.jobs += 1
      if placement == .nowhere, let new = graph.dependency(of: id) { inHand.append((other, new.id)) }
    }
    let (told, expected) = model.depend(
      payload, on: key, then: then, making: other, placement,
      deadline: deadline.map { ($0.instant, $0.deadline.tag) }, now: now)
    let operation = "depend \(payload) on \(String(describing: key))"
    try check(dependence == expected, operation, "\(dependence), not \(expected)")
    if dependence == .circular { inHand.append((payload, id)) }
    if dependence == .parked { coverage.parked += 1 }
    try compare(effects, told, operation)
  }

  private mutating func cancel() throws(Mismatch) {
    var index = waiting.indices.randomElement(using: &random)
    if let job = inHand.randomElement(using: &random), Bool.random(using: &random) {
      // Running jobs are cancelled as often as waiting ones, although there are more of the latter.
      index = waiting.firstIndex { graph.job(ofSubscription: $0.id).id == job.id } ?? index
    }
    if let index { try cancel(at: index) }
  }

  private mutating func cancel(at index: Int) throws(Mismatch) {
    let (waiter, id) = waiting.remove(at: index)
    coverage.cancelled += 1
    var effects = Graph.Effects()
    let wasThere = graph.unsubscribe(id, now: now, &effects)
    try check(wasThere, "unsubscribe \(waiter)", "was not there")
    try compare(effects, model.unsubscribe(waiter, now: now), "unsubscribe \(waiter)")
    var again = Graph.Effects()
    let isThere = graph.unsubscribe(id, now: now, &again)
    try check(!isThere, "unsubscribe \(waiter) again", "is there")
    // An old identifier must not match a new subscription in the same slot.
    gone.append(id)
    guard let old = gone.randomElement(using: &random) else { return }
    let isOldThere = graph.unsubscribe(old, now: now, &again)
    try check(!isOldThere, "unsubscribe an old number", "is there")
  }

  private mutating func changePriority() throws(Mismatch) {
    guard let (waiter, id) = waiting.randomElement(using: &random) else { return }
    let priority = anyPriority()
    var effects = Graph.Effects()
    graph.setPriority(id, to: priority, &effects)
    try compare(effects, model.setPriority(waiter, to: priority, now: now), "set \(waiter) to \(priority)")
  }

  private mutating func setDeadline() throws(Mismatch) {
    guard let (waiter, id) = waiting.randomElement(using: &random) else { return }
    let instant = Int.random(in: 0..<4, using: &random) == 0 ? nil : anyInstant()
    let endsAtStart = Bool.random(using: &random)
    graph.setDeadline(id, at: instant, Graph.Deadline(tag: waiter, endsAtStart: endsAtStart))
    model.setDeadline(waiter, at: instant, tag: waiter, endsAtStart: endsAtStart)
    try compare(Graph.Effects(), ExpectedEffects(), "deadline of \(waiter)")
  }

  private mutating func tick() throws(Mismatch) {
    // To the alarm, like a timer, or to any other instant.
    let alarm = Bool.random(using: &random) ? graph.alarm : nil
    now = max(now, alarm ?? now.advanced(by: .milliseconds(Int.random(in: 0..<40, using: &random))))
    if alarm != nil { coverage.alarms += 1 }
    var effects = Graph.Effects()
    graph.tick(now: now, &effects)
    try compare(effects, model.tick(now: now), "tick")
  }

  private mutating func suspend(_ isSuspended: Bool) throws(Mismatch) {
    guard let station = StationID.allCases.randomElement(using: &random) else { return }
    try setSuspended(station, isSuspended)
  }

  /// Lends a place, or takes one back.
  private mutating func lend() throws(Mismatch) {
    if lent.count > 3 || (!lent.isEmpty && Bool.random(using: &random)) {
      return try takeBack(lent.remove(at: Int.random(in: lent.indices, using: &random)))
    }
    guard let station = StationID.allCases.randomElement(using: &random) else { return }
    let isLent = graph.lend(station, now: now)
    try check(isLent == model.lend(station, now: now), "lend", "a place of \(station.index): \(isLent)")
    if isLent {
      lent.append(station)
      coverage.lent += 1
    }
    try compare(Graph.Effects(), ExpectedEffects(), "lend a place of \(station.index)")
  }

  private mutating func takeBack(_ station: StationID) throws(Mismatch) {
    var effects = Graph.Effects()
    graph.takeBack(station, now: now, &effects)
    try compare(effects, model.takeBack(station, now: now), "take a place of \(station.index) back")
  }

  private mutating func setSuspended(_ station: StationID, _ isSuspended: Bool) throws(Mismatch) {
    var effects = Graph.Effects()
    graph.setSuspended(station, isSuspended, now: now, &effects)
    let told = model.setSuspended(station, isSuspended, now: now)
    try compare(effects, told, "suspend \(station.index): \(isSuspended)")
  }

  /// Lets all remaining jobs end, and checks that nothing is left.
  private mutating func end() throws(Mismatch) {
    for station in StationID.allCases { try setSuspended(station, false) }
    while let station = lent.popLast() { try takeBack(station) }
    while !waiting.isEmpty || !inHand.isEmpty {
      if inHand.isEmpty {
        // The rest is delayed by a limiter, or waits for such a job: time goes on while there is an alarm.
        let count = waiting.count
        guard graph.alarm != nil else {
          try check(false, "end", "\(count) wait, nothing runs and no alarm is set")
          return
        }
        try tick()
      } else {
        try lead()
      }
      if waiting.count > 2, Int.random(in: 0..<20, using: &random) == 0 { try cancel() }
    }
    try check(graph.isEmpty, "end", "something is left")
  }

  // MARK: Comparing

  private mutating func compare(_ effects: Graph.Effects, _ expected: ExpectedEffects, _ operation: String)
    throws(Mismatch)
  {
    step += 1
    let told = ExpectedEffects(effects)
    try check(told.sorted == expected.sorted, operation, "\(told.sorted), not \(expected.sorted)")
    for start in effects.starts {
      inHand.append((start.payload, start.job))
      if start.continues { coverage.successors += 1 }
    }
    for wake in effects.wakes { inHand.append((wake.payload, wake.job)) }
    for waiter in told.answers + told.overdue.map(\.waiter) {
      guard let index = waiting.firstIndex(where: { $0.waiter == waiter }) else {
        return try check(false, operation, "\(waiter) is answered and does not wait")
      }
      waiting.remove(at: index)
    }
    coverage.overdue += told.overdue.count
    coverage.abandoned += told.cancellations.count
    for station in StationID.allCases {
      let (running, queued) = (graph.runningCount(in: station), graph.queuedCount(in: station))
      try check(
        running == model.runningCount(in: station) && queued == model.queuedCount(in: station), operation,
        "station \(station.index): \(running) run and \(queued) wait")
      coverage.mostQueued = max(coverage.mostQueued, queued)
    }
    if model.queuedCount(in: .files) > 0, model.standsBack(.files) { coverage.heldBack += 1 }
    try check(graph.isIdle == model.isIdle, operation, "idle: \(graph.isIdle)")
    if let reason = graph.brokenInvariant(now: now) { try check(false, operation, reason) }
    if step % 32 == 0 { try compareJobs(operation) }
  }

  /// Compares every job: its state, its priority and the number of its subscribers.
  private func compareJobs(_ operation: String) throws(Mismatch) {
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

  private func check(_ condition: Bool, _ operation: String, _ reason: @autoclosure () -> String)
    throws(Mismatch)
  {
    guard !condition else { return }
    throw Mismatch(seed: seed, step: step, operation: operation, reason: reason())
  }

  // MARK: Random values

  private mutating func anyKey() -> Int? {
    let key = Int.random(in: 0..<(jobCount / 2), using: &random)
    return Int.random(in: 0..<10, using: &random) == 0 ? nil : key
  }

  private mutating func anyPriority() -> ImagePriority {
    ImagePriority.allCases.randomElement(using: &random) ?? .normal
  }

  private mutating func anyPlacement() -> Graph.Placement {
    guard Int.random(in: 0..<8, using: &random) > 0 else { return .nowhere }
    let station = StationID.allCases[Int.random(in: 0..<StationID.allCases.count, using: &random)]
    let sizes = [0, 0, 1 << 10, 60 << 10, 100 << 10, 1 << 20, 3 << 20, 9 << 20]
    return .station(station, size: sizes[Int.random(in: 0..<sizes.count, using: &random)])
  }

  /// No two are equal, because of two equal deadlines either may end first.
  private mutating func anyInstant() -> JobInstant {
    while true {
      let instant = now.advanced(by: .microseconds(Int.random(in: 1000..<400_000, using: &random)))
      if instants.insert(instant).inserted { return instant }
    }
  }
}
