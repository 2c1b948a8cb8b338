import Ozu
import OzuTesting

/// Random operations on the scheduler and on its naive model, compared after each one.
///
/// A run makes a number of jobs, many of which share keys, in stations of random widths. One station has a limiter,
/// one has back-pressure by the bytes that wait in another. The run starts, joins, cancels before and after the
/// start, changes priorities, moves, depends, finishes, fails, expires, lends places and suspends, and then lets
/// everything end.
///
/// Two stations tell origins apart. Owners of running jobs wait for other jobs in the middle of their work, and give
/// their places back meanwhile. Some work in the network never ends; it must hold only what its origin has, and
/// nothing at all once it is cancelled.
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
  let jobCount: Int
  let seed: UInt64
  var random: SeededGenerator
  var graph: Graph
  var model: NaiveGraph
  var now = JobInstant(ContinuousClock.now)
  var step = 0
  var lastPayload = 0
  var lastWaiter = 0
  var instants: Set<JobInstant> = []
  /// The jobs that are running or deciding, so that their owners may call the graph.
  var inHand: [(payload: Int, id: SlotID)] = []
  /// The waiting subscribers, with their subscriptions.
  var waiting: [(waiter: Int, id: SlotID)] = []
  /// The subscriptions that have ended.
  var gone: [SlotID] = []
  /// The stations of the lent places.
  var lent: [StationID] = []
  /// The jobs whose owners wait in the middle of their work, by the waiter, with the place that they want again.
  var nested: [Int: (payload: Int, id: SlotID, placement: Graph.Placement)] = [:]
  /// Those of them whose wait is over.
  var resuming: [(payload: Int, id: SlotID, placement: Graph.Placement)] = []
  /// The jobs whose work in the network never ends.
  var endless: Set<Int> = []
  /// Those of them that run.
  var stuck: [Int: SlotID] = [:]
  /// The events of the run, to check that it covers them.
  package internal(set) var coverage = Coverage()

  package init(seed: UInt64, jobCount: ClosedRange<Int>) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    self.jobCount = Int.random(in: jobCount, using: &random)
    var widths: [Int] = []
    for _ in StationID.allCases { widths.append(Int.random(in: 1...4, using: &random)) }
    let limiter = StartLimiter(rate: 30, burst: 1)
    let bytes = [0, 50 << 10, 2 << 20].randomElement(using: &random) ?? 0
    widths[StationID.network.index] += 2
    let originWidth = Int.random(in: 1...3, using: &random)
    let reservedCount = Int.random(in: 0...1, using: &random)
    let stations = StationID.allCases.map { station in
      let hasOrigins = (station == .network || station == .levels) && originWidth < widths[station.index]
      return NaiveGraph.Station(
        width: widths[station.index], originWidth: hasOrigins ? originWidth : nil,
        reservedCount: station == .network ? reservedCount : 0, freesAbandoned: station == .network,
        isForeground: station.index < 3, limiter: station == .network ? limiter : nil,
        backpressure: station == .files ? (.decode, bytes) : nil)
    }
    graph = Graph(
      stations: stations.map { station in
        Station(
          width: station.width, originWidth: station.originWidth, reservedCount: station.reservedCount,
          freesAbandoned: station.freesAbandoned, isForeground: station.isForeground,
          limiter: station.limiter,
          backpressure: station.backpressure.map { Station.Backpressure(of: $0.station, above: $0.byteCount) }
        )
      })
    model = NaiveGraph(stations: stations)
    // Few: when endless work has all places, the rest of the run is short.
    for payload in 1...jobCount.upperBound where Int.random(in: 0..<30, using: &random) == 0 {
      endless.insert(payload)
    }
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

  mutating func randomStep(startsOften: Bool) throws(Mismatch) {
    if let index = resuming.indices.randomElement(using: &random), Bool.random(using: &random) {
      try resume(resuming.remove(at: index))
    }
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

  mutating func subscribe() throws(Mismatch) {
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
  mutating func lead() throws(Mismatch) {
    guard let index = inHand.indices.randomElement(using: &random) else { return }
    let (payload, id) = inHand.remove(at: index)
    if Int.random(in: 0..<8, using: &random) == 0, try nest(payload, id) { return }
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

  mutating func depend(_ payload: Int, _ id: SlotID) throws(Mismatch) {
    let (key, then, placement) = (anyKey(), anyPlacement(), anyPlacement())
    let other = lastPayload + 1
    var deadline: JobDeadline?
    if Int.random(in: 0..<5, using: &random) == 0 { deadline = JobDeadline(instant: anyInstant()) }
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
      deadline: deadline?.instant, now: now)
    let operation = "depend \(payload) on \(String(describing: key))"
    try check(dependence == expected, operation, "\(dependence), not \(expected)")
    if dependence == .circular { inHand.append((payload, id)) }
    if dependence == .parked { coverage.parked += 1 }
    try compare(effects, told, operation)
  }

  mutating func cancel() throws(Mismatch) {
    var index = waiting.indices.randomElement(using: &random)
    if let job = inHand.randomElement(using: &random), Bool.random(using: &random) {
      // Running jobs are cancelled as often as waiting ones, although there are more of the latter.
      index = waiting.firstIndex { graph.job(ofSubscription: $0.id).id == job.id } ?? index
    }
    if let index { try cancel(at: index) }
  }

  mutating func cancel(at index: Int) throws(Mismatch) {
    let (waiter, id) = waiting.remove(at: index)
    coverage.cancelled += 1
    if let nester = nested.removeValue(forKey: waiter) { resuming.append(nester) }
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

  mutating func changePriority() throws(Mismatch) {
    guard let (waiter, id) = waiting.randomElement(using: &random) else { return }
    let priority = anyPriority()
    var effects = Graph.Effects()
    graph.setPriority(id, to: priority, now: now, &effects)
    try compare(effects, model.setPriority(waiter, to: priority, now: now), "set \(waiter) to \(priority)")
  }

  mutating func setDeadline() throws(Mismatch) {
    guard let (waiter, id) = waiting.randomElement(using: &random) else { return }
    let instant = Int.random(in: 0..<4, using: &random) == 0 ? nil : anyInstant()
    let endsAtStart = Bool.random(using: &random)
    graph.setDeadline(id, instant.map { JobDeadline(instant: $0, endsAtStart: endsAtStart) })
    model.setDeadline(waiter, at: instant, endsAtStart: endsAtStart)
    try compare(Graph.Effects(), ExpectedEffects(), "deadline of \(waiter)")
  }

  mutating func tick() throws(Mismatch) {
    // To the alarm, like a timer, or to any other instant.
    let alarm = Bool.random(using: &random) ? graph.alarm : nil
    now = max(now, alarm ?? now.advanced(by: .milliseconds(Int.random(in: 0..<40, using: &random))))
    if alarm != nil { coverage.alarms += 1 }
    var effects = Graph.Effects()
    graph.tick(now: now, &effects)
    try compare(effects, model.tick(now: now), "tick")
  }

  /// Lets all remaining jobs end, and checks that nothing is left.
  mutating func end() throws(Mismatch) {
    for station in StationID.allCases { try setSuspended(station, false) }
    while let station = lent.popLast() { try takeBack(station) }
    while !waiting.isEmpty || !inHand.isEmpty || !resuming.isEmpty {
      if let nester = resuming.popLast() {
        try resume(nester)
      } else if inHand.isEmpty {
        if try cancelStuck() { continue }
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
    // Endless work returns after all, when nobody has waited for it for long.
    for (payload, id) in stuck.sorted(by: { $0.key < $1.key }) {
      inHand = [(payload, id)]
      stuck[payload] = nil
      while !inHand.isEmpty { try lead() }
    }
    try check(graph.isEmpty, "end", "something is left")
  }
}
