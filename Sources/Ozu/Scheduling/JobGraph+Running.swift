/// What becomes of a job that has a place, or decides where it goes.
extension JobGraph {
  /// What became of a job that was to wait for another one.
  package enum Dependence {
    /// It waits.
    case parked
    /// Nobody wants it any more, and it is over.
    case abandoned
    /// The other one waits for it: it decides again.
    case circular
  }

  /// Gives a job's place back and sends it to another station, or lets it decide.
  ///
  /// - Returns: whether somebody still wants it; it is over otherwise.
  package mutating func move(
    _ id: SlotID, to placement: Placement, now: Instant, _ effects: inout Effects
  ) -> Bool {
    guard let station = leave(id, now: now, &effects) else { return false }
    place(id.index, placement, now: now)
    if let station = station { dispatch(station, now: now, &effects) }
    dispatch(placement, now: now, &effects)
    return true
  }

  /// Gives a job's place back and has it wait for the job of a key, which is made unless it is there already.
  ///
  /// - Parameters:
  ///   - then: where it goes when the other one has succeeded. It decides itself when that has failed.
  ///   - deadline: until when it waits; then it decides.
  ///   - make: the work of a new job, and where that goes first; called at once, at most once.
  package mutating func depend(
    _ id: SlotID, on key: Key?, then: Placement, now: Instant, _ effects: inout Effects,
    deadline: (instant: Instant, deadline: Deadline)? = nil,
    make: () -> (payload: Payload, placement: Placement)
  ) -> Dependence {
    guard let station = leave(id, now: now, &effects) else { return .abandoned }
    defer { if let station { dispatch(station, now: now, &effects) } }
    enter(id.index, .deciding, now: now)
    let other = index(of: key)
    if let other, waits(other, for: id.index) { return .circular }
    let (subscription, _) = join(
      other, nil, dependent: id.index, key: key, priority: jobs[id.index].level, now: now, &effects,
      make: make)
    enter(id.index, .parked(subscription, then: then), now: now)
    if let deadline {
      setDeadline(subscriptions.id(at: subscription), at: deadline.instant, deadline.deadline)
    }
    return .parked
  }

  /// Ends a job: gives its place back, frees its key, and lists those to be answered.
  ///
  /// Of the jobs that waited for it to go on in its own station, the most urgent takes its place at once, before any
  /// that stands in the queue: what is half done is memory that nobody can use yet.
  ///
  /// - Parameter succeeded: whether those who depend on it go where they said; they decide themselves otherwise.
  /// - Returns: whether somebody still wanted it.
  @discardableResult
  package mutating func finish(_ id: SlotID, succeeded: Bool, now: Instant, _ effects: inout Effects) -> Bool
  {
    guard jobs.contains(id) else { return false }
    let payload = jobs[id.index].payload
    let heir = succeeded ? heir(of: id.index) : nil
    let station: StationID?
    if let heir, case .running(let own) = jobs[id.index].state {
      // The place goes on to the heir; but a limiter may let others go now.
      station = own
      enter(heir, .running(own), now: now)
      stations[own.index].limiter?.noteCompletion()
      jobs[heir].input = payload
      start(heir, in: own, continues: true, &effects)
    } else {
      guard let left = leave(id, now: now, &effects) else { return false }
      station = left
    }
    releaseKey(of: id.index)
    var placements: [Placement] = []
    var next = jobs[id.index].subscriptions.first
    while next >= 0 {
      let index = next
      next = subscriptions.next(after: index)
      let subscription = subscriptions.remove(at: index)
      if subscription.deadline != nil { deadlines.remove(index) }
      let dependent = subscription.dependent
      if let waiter = subscription.waiter {
        effects.answers.append(waiter)
      } else if dependent != heir {
        jobs[dependent].input = payload
        if succeeded, case .parked(_, let then) = jobs[dependent].state, then != .nowhere {
          place(dependent, then, now: now)
          placements.append(then)
        } else {
          enter(dependent, .deciding, now: now)
          wake(dependent, overdue: nil, &effects)
        }
      }
    }
    // Its owner has it still, and releases it: so it is not among what is released (`remove`).
    jobs.remove(at: id.index)
    if let station = station ?? nil { dispatch(station, now: now, &effects) }
    for placement in placements { dispatch(placement, now: now, &effects) }
    return true
  }

  /// Gives out no places of a station any more, or gives them out again.
  package mutating func setSuspended(
    _ station: StationID, _ isSuspended: Bool, now: Instant, _ effects: inout Effects
  ) {
    stations[station.index].isSuspended = isSuspended
    dispatch(station, now: now, &effects)
  }

  // MARK: Places

  /// Takes a job out of its place, if it has one, without dispatching.
  ///
  /// - Returns: the station whose place is free now, `.some(nil)` for none; `nil` when nobody wants the job: it is over
  ///   then, and its station has been dispatched.
  private mutating func leave(_ id: SlotID, now: Instant, _ effects: inout Effects) -> StationID?? {
    guard jobs.contains(id) else { return nil }
    switch jobs[id.index].state {
    case .running(let station):
      stations[station.index].runningCount -= 1
      stations[station.index].limiter?.noteCompletion()
      return .some(station)
    case .deciding: return .some(nil)
    case .abandoned(let station):
      remove(id.index, &effects)
      guard let station else { return nil }
      stations[station.index].runningCount -= 1
      stations[station.index].limiter?.noteCancellation(now)
      dispatch(station, now: now, &effects)
      return nil
    case .queued, .parked: preconditionFailure("a job that waits says nothing of itself")
    }
  }

  mutating func dispatch(_ placement: Placement, now: Instant, _ effects: inout Effects) {
    if case .station(let station, _) = placement { dispatch(station, now: now, &effects) }
  }

  /// Gives the free places of a station to those whose turn it is, and then those of the one that stands back behind it.
  mutating func dispatch(_ station: StationID, now: Instant, _ effects: inout Effects) {
    dispatchOne(station, now: now, &effects)
    if let follower = stations[station.index].follower { dispatchOne(follower, now: now, &effects) }
  }

  /// Whether a station stands back for what waits in another one. That goes by itself: who waits there waits for nothing
  /// else, and when it has begun, or has gone, `dispatch` looks here again.
  func standsBack(_ station: Int) -> Bool {
    guard let rule = stations[station].backpressure else { return false }
    return stations[rule.station.index].queue.byteCount > rule.byteCount
  }

  private mutating func dispatchOne(_ station: StationID, now: Instant, _ effects: inout Effects) {
    let index = station.index
    while stations[index].queue.count > 0, !standsBack(index), stations[index].hasPlace(now),
      let job = stations[index].queue.next(in: jobs)
    {
      dequeue(job, from: station)
      stations[index].runningCount += 1
      // Who has waited for a place alone is free.
      if stations[index].isHolding { stations[index].limiter?.noteLateStart() }
      enter(job, .running(station), now: now)
      start(job, in: station, continues: false, &effects)
    }
    guard stations[index].queue.count > 0 else {
      stations[index].isHolding = false
      setDue(station, nil)
      return
    }
    guard stations[index].runningCount < stations[index].width, !stations[index].isSuspended,
      !standsBack(index),
      stations[index].limiterDue == nil, let delay = stations[index].limiter?.delay
    else { return }
    stations[index].isHolding = true
    setDue(station, now.advanced(by: delay))
  }

  private mutating func start(
    _ job: Int, in station: StationID, continues: Bool, _ effects: inout Effects
  ) {
    effects.starts.append(
      Effects.Start(
        job: jobs.id(at: job), payload: jobs[job].payload, station: station,
        input: jobs[job].input.take(),
        continues: continues, level: jobs[job].level))
  }

  mutating func wake(_ job: Int, overdue: Int?, _ effects: inout Effects) {
    effects.wakes.append(
      Effects.Wake(
        job: jobs.id(at: job), payload: jobs[job].payload, input: jobs[job].input.take(), overdue: overdue
      ))
  }

  /// The most urgent of those who depend on a job to go on in its station, the first of equals.
  private func heir(of job: Int) -> Int? {
    guard case .running(let station) = jobs[job].state else { return nil }
    var heir: Int?
    var subscription = jobs[job].subscriptions.first
    while subscription >= 0 {
      let dependent = subscriptions[subscription].dependent
      if dependent >= 0, case .parked(_, then: .station(station, _)) = jobs[dependent].state,
        heir.map({ jobs[dependent].level > jobs[$0].level }) ?? true
      {
        heir = dependent
      }
      subscription = subscriptions.next(after: subscription)
    }
    return heir
  }

  /// Whether a job waits for another one, by whatever others.
  private func waits(_ job: Int, for other: Int) -> Bool {
    var job = job
    while job != other {
      guard case .parked(let subscription, _) = jobs[job].state else { return false }
      job = subscriptions[subscription].job
    }
    return true
  }
}
