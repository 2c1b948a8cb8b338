import Ozu
import OzuTesting

/// Owners that wait in the middle of their work, and work that never ends.
extension ModelRun {
  /// The owner of a running job waits for another job, and gives its place back meanwhile.
  ///
  /// - Returns: whether it does; not if it has no place, or would wait for itself.
  mutating func nest(_ payload: Int, _ id: SlotID) throws(Mismatch) -> Bool {
    guard let job = model.jobs.first(where: { $0.payload == payload }), case .running(let station) = job.state
    else { return false }
    let (key, priority, placement) = (anyKey(), anyPriority(), anyPlacement())
    let isCircular = graph.wouldWaitForItself(id, on: key)
    let operation = "nest \(payload) in \(String(describing: key))"
    try check(isCircular == model.wouldWaitForItself(payload, on: key), operation, "circular: \(isCircular)")
    if isCircular {
      coverage.circular += 1
      return false
    }
    coverage.nested += 1
    lastWaiter += 1
    let (waiter, other) = (lastWaiter, lastPayload + 1)
    nested[waiter] = (payload, id, .station(station, size: 0, origin: job.origin))
    var effects = Graph.Effects()
    let (subscription, isNew) = graph.subscribe(
      waiter, to: key, within: id, priority: priority, now: now, &effects
    ) { (other, placement) }
    if isNew {
      lastPayload = other
      coverage.jobs += 1
      if placement == .nowhere { inHand.append((other, graph.job(ofSubscription: subscription).id)) }
    }
    waiting.append((waiter, subscription))
    try compare(
      effects,
      model.subscribe(
        waiter, to: key, within: payload, priority, payload: other, placement, now: now), operation)
    var pause = Graph.Effects()
    let isPaused = graph.pause(id, now: now, &pause)
    let (told, isExpected) = model.pause(payload, now: now)
    try check(isPaused == isExpected, operation, "paused: \(isPaused)")
    try compare(pause, told, "\(operation), pause")
    return true
  }

  /// The owner goes on: it wants a place again.
  mutating func resume(
    _ nester: (payload: Int, id: SlotID, placement: Graph.Placement)
  ) throws(Mismatch) {
    var effects = Graph.Effects()
    let isWanted = graph.move(nester.id, to: nester.placement, now: now, &effects)
    let (told, isExpected) = model.move(nester.payload, to: nester.placement, now: now)
    try check(isWanted == isExpected, "resume \(nester.payload)", "wanted: \(isWanted)")
    try compare(effects, told, "resume \(nester.payload)")
  }

  /// Cancels a subscriber of the work that never ends, directly or through other jobs. Everything else has ended by
  /// then, or waits for such work or for its places.
  mutating func cancelStuck() throws(Mismatch) -> Bool {
    let running = stuck.keys.filter { payload in model.subscriberCount(of: payload) > 0 }
    guard let payload = running.min() else { return false }
    let index = waiting.firstIndex { waiter in
      model.subscribers.contains { subscriber in
        subscriber.owner == .waiter(waiter.waiter) && model.isWaiting(subscriber.job, for: payload)
      }
    }
    guard let index else { return false }
    try cancel(at: index)
    return true
  }
}
