/// Subscribing, unsubscribing, and changes of priority and deadline.
extension JobGraph {
  /// Subscribes to the job of a key. A job that does not exist yet is made.
  ///
  /// - Parameters:
  ///   - key: `nil` for work that is not shared.
  ///   - nester: the job whose owner waits for this one in the middle of its work, if any. `wouldWaitForItself` says
  ///     whether it may.
  ///   - make: returns the work of a new job and where it goes first. Called before this returns, at most once.
  /// - Returns: the identifier of the subscription, and whether a new job was made.
  package mutating func subscribe(
    _ waiter: Waiter, to key: Key?, within nester: SlotID? = nil, priority: ImagePriority, now: Instant,
    _ effects: inout Effects, make: () -> (payload: Payload, placement: Placement)
  ) -> (id: SlotID, isNew: Bool) {
    let (subscription, isNew) = join(
      index(of: key), waiter, nester: nester, key: key, priority: priority, now: now, &effects, make: make)
    return (subscriptions.id(at: subscription), isNew)
  }

  /// Subscribes to a job, or to a new one if `job` is nil.
  ///
  /// - Parameters:
  ///   - waiter: `nil` if the subscriber is a job.
  ///   - dependent: the index of the subscriber if it is a job.
  ///   - nester: the job whose owner the subscriber is.
  /// - Returns: the index of the subscription, and whether a new job was made.
  mutating func join(
    _ job: Int?, _ waiter: Waiter?, dependent: Int = -1, nester: SlotID? = nil, key: Key?,
    priority: ImagePriority, now: Instant, _ effects: inout Effects,
    make: () -> (payload: Payload, placement: Placement)
  ) -> (subscription: Int, isNew: Bool) {
    var new: (payload: Payload, placement: Placement)?
    if job == nil { new = make() }
    let job = job ?? self.make(key, new!.payload, now: now)
    let subscription = subscriptions.insert(
      Subscription(job: job, waiter: waiter, dependent: dependent, nester: nester, priority: priority))
    if nester != nil { nestedCount += 1 }
    jobs[job].subscriptions.append(subscription, in: &subscriptions)
    jobs[job].counts[priority.rawValue] += 1
    updateLevel(of: job, now: now, &effects)
    if let new {
      place(job, new.placement, now: now)
      dispatch(new.placement, now: now, &effects)
    }
    return (subscription, new != nil)
  }

  /// The job of a subscription, which must exist.
  package func job(ofSubscription id: SlotID) -> (id: SlotID, payload: Payload) {
    let job = subscriptions[id.index].job
    return (jobs.id(at: job), jobs[job].payload)
  }

  /// The job that a job waits for; nil if it waits for none.
  package func dependency(of id: SlotID) -> (id: SlotID, payload: Payload)? {
    guard jobs.contains(id), case .parked(let subscription, _) = jobs[id.index].state else { return nil }
    let other = subscriptions[subscription].job
    return (jobs.id(at: other), jobs[other].payload)
  }

  /// Removes a subscription. A job without subscribers ends: at once if it has not begun, otherwise at the next call
  /// of its owner.
  ///
  /// - Returns: whether the subscription existed; if so, its subscriber will not be notified.
  @discardableResult
  package mutating func unsubscribe(_ id: SlotID, now: Instant, _ effects: inout Effects) -> Bool {
    guard subscriptions.contains(id) else { return false }
    let job = subscriptions[id.index].job
    drop(id.index, &effects)
    settle(job, now: now, &effects)
    return true
  }

  /// Changes the priority of a subscription.
  package mutating func setPriority(
    _ id: SlotID, to priority: ImagePriority, now: Instant, _ effects: inout Effects
  ) {
    guard subscriptions.contains(id), subscriptions[id.index].priority != priority else { return }
    setPriority(at: id.index, to: priority)
    updateLevel(of: subscriptions[id.index].job, now: now, &effects)
  }

  mutating func setPriority(at subscription: Int, to priority: ImagePriority) {
    let job = subscriptions[subscription].job
    jobs[job].counts[subscriptions[subscription].priority.rawValue] -= 1
    jobs[job].counts[priority.rawValue] += 1
    subscriptions[subscription].priority = priority
  }

  /// Sets the instant at which a subscription expires. It replaces an earlier one; `nil` removes it.
  package mutating func setDeadline(_ id: SlotID, at instant: Instant?, _ deadline: Deadline) {
    guard subscriptions.contains(id) else { return }
    deadlines.remove(id.index)
    subscriptions[id.index].deadline = instant.map { _ in deadline }
    if let instant { deadlines.insert(id.index, at: instant) }
  }

  /// Starts the jobs that limiters have delayed until now, and ends the subscriptions whose deadlines have passed.
  package mutating func tick(now: Instant, _ effects: inout Effects) {
    for station in StationID.allCases where station.index < stations.count {
      guard let due = stations[station.index].limiterDue, due <= now else { continue }
      setDue(station, nil)
      if stations[station.index].queuedCount > 0 { stations[station.index].limiter?.noteDelayHasPassed(now) }
      dispatch(station, now: now, &effects)
    }
    while let subscription = deadlines.popFirst(until: now) { expire(subscription, now: now, &effects) }
  }

  private mutating func expire(_ subscription: Int, now: Instant, _ effects: inout Effects) {
    guard let deadline = subscriptions[subscription].deadline else { return }
    let job = subscriptions[subscription].job
    if deadline.endsAtStart, hasBegun(job) {
      subscriptions[subscription].deadline = nil
      return
    }
    if let waiter = subscriptions[subscription].waiter {
      effects.overdue.append((waiter, deadline.tag, standing(of: job)))
    } else {
      let dependent = subscriptions[subscription].dependent
      enter(dependent, .deciding, now: now)
      wake(dependent, .overdue(deadline.tag), &effects)
    }
    drop(subscription, &effects)
    settle(job, now: now, &effects)
  }

  /// Whether a job, or the last job in the chain that it waits for, has left its queue.
  private func hasBegun(_ job: Int) -> Bool {
    if case .queued = jobs[last(before: job)].state { false } else { true }
  }

  /// Removes a subscription from its job's list.
  mutating func drop(_ index: Int, _ effects: inout Effects) {
    let job = subscriptions[index].job
    jobs[job].subscriptions.remove(index, in: &subscriptions)
    let subscription = subscriptions.remove(at: index)
    jobs[job].counts[subscription.priority.rawValue] -= 1
    if subscription.deadline != nil { deadlines.remove(index) }
    if subscription.nester != nil { nestedCount -= 1 }
    if let waiter = subscription.waiter { effects.left.append(waiter) }
  }

  /// Updates a job after a subscriber has left: its priority may fall, or the job ends, and with it the jobs that
  /// only it wanted.
  mutating func settle(_ job: Int, now: Instant, _ effects: inout Effects) {
    var job = job
    while jobs[job].subscriptions.first < 0 {
      releaseKey(of: job)
      switch jobs[job].state {
      case .deciding:
        enter(job, .abandoned(nil), now: now)
        return effects.cancellations.append(jobs[job].payload)
      case .running(let station):
        enter(job, .abandoned(station), now: now)
        effects.cancellations.append(jobs[job].payload)
        guard stations[station.index].freesAbandoned else { return }
        freePlace(of: job, in: station)
        stations[station.index].abandonedCount += 1
        stations[station.index].limiter?.noteCancellation(now)
        return dispatch(station, now: now, &effects)
      case .abandoned: return
      case .queued(let station):
        dequeue(job, from: station)
        leaveOrigin(job)
        remove(job, &effects)
        return dispatch(station, now: now, &effects)
      case .parked(let subscription, _):
        remove(job, &effects)
        job = subscriptions[subscription].job
        drop(subscription, &effects)
      }
    }
    updateLevel(of: job, now: now, &effects)
  }
}
