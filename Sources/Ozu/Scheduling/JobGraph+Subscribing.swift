/// Coming, going, and changing one's mind.
extension JobGraph {
  /// Waits for the job of a key, which is made unless it is there already.
  ///
  /// - Parameters:
  ///   - key: `nil` for work that is not shared.
  ///   - make: the work of a new job, and where it goes first; called at once, at most once.
  /// - Returns: the number of the subscription, and whether it has made the job.
  package mutating func subscribe(
    _ waiter: Waiter, to key: Key?, priority: ImagePriority, now: Instant, _ effects: inout Effects,
    make: () -> (payload: Payload, placement: Placement)
  ) -> (id: SlotID, isNew: Bool) {
    if let key, let job = keys[key] {
      let subscription = add(waiter, to: job, priority)
      updateLevel(of: job, &effects)
      return (subscriptions.id(at: subscription), false)
    }
    let (payload, placement) = make()
    let job = self.make(key, payload, now: now)
    let subscription = add(waiter, to: job, priority)
    updateLevel(of: job, &effects)
    place(job, placement, now: now)
    dispatch(placement, now: now, &effects)
    return (subscriptions.id(at: subscription), true)
  }

  /// Gives up waiting. A job that nobody wants any more ends: at once if it has not begun, at its next word if it
  /// has.
  ///
  /// - Returns: whether the subscription was there; it will hear nothing then.
  @discardableResult
  package mutating func unsubscribe(_ id: SlotID, now: Instant, _ effects: inout Effects) -> Bool {
    guard subscriptions.contains(id) else { return false }
    let job = subscriptions[id.index].job
    drop(id.index, &effects)
    settle(job, now: now, &effects)
    return true
  }

  /// Makes a subscriber more or less urgent.
  package mutating func setPriority(_ id: SlotID, to priority: ImagePriority, _ effects: inout Effects) {
    guard subscriptions.contains(id), subscriptions[id.index].priority != priority else { return }
    let subscription = subscriptions[id.index]
    jobs[subscription.job].counts[subscription.priority.rawValue] -= 1
    jobs[subscription.job].counts[priority.rawValue] += 1
    subscriptions[id.index].priority = priority
    updateLevel(of: subscription.job, &effects)
  }

  /// Sets the instant at which a subscription ends by itself, in place of an earlier one; `nil` takes it away.
  package mutating func setDeadline(_ id: SlotID, at instant: Instant?, _ deadline: Deadline) {
    guard subscriptions.contains(id) else { return }
    deadlines.remove(id.index)
    subscriptions[id.index].deadline = instant.map { _ in deadline }
    if let instant { deadlines.insert(id.index, at: instant) }
  }

  /// Gives out what limiters have held back until now, and ends the subscriptions whose deadlines have passed.
  package mutating func tick(now: Instant, _ effects: inout Effects) {
    for station in StationID.allCases where station.index < stations.count {
      guard let due = stations[station.index].limiterDue, due <= now else { continue }
      stations[station.index].limiterDue = nil
      if stations[station.index].queue.count > 0 { stations[station.index].limiter?.noteDelayHasPassed(now) }
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
    if let waiter = waiters[subscription] {
      effects.overdue.append((waiter, deadline.tag, standing(of: job)))
    } else {
      let dependent = subscriptions[subscription].dependent
      enter(dependent, .deciding, now: now)
      wake(dependent, overdue: deadline.tag, &effects)
    }
    drop(subscription, &effects)
    settle(job, now: now, &effects)
  }

  /// Whether a job, or the one that it waits for in the end, has had a place.
  private func hasBegun(_ job: Int) -> Bool {
    if case .queued = jobs[last(before: job)].state { false } else { true }
  }

  // MARK: Lists of subscribers

  /// - Parameters:
  ///   - waiter: `nil` for a job that depends on the other one.
  ///   - dependent: its number.
  mutating func add(_ waiter: Waiter?, dependent: Int = -1, to job: Int, _ priority: ImagePriority) -> Int {
    let last = jobs[job].last
    let index = subscriptions.insert(
      Subscription(dependent: dependent, job: job, priority: priority, previous: last)
    ).index
    if index == waiters.count { waiters.append(waiter) } else { waiters[index] = waiter }
    if last < 0 { jobs[job].first = index } else { subscriptions[last].next = index }
    jobs[job].last = index
    jobs[job].counts[priority.rawValue] += 1
    return index
  }

  /// Takes a subscription out of its job's list.
  mutating func drop(_ index: Int, _ effects: inout Effects) {
    let subscription = subscriptions.remove(at: index)
    if let waiter = waiters[index].take() { effects.left.append(waiter) }
    if subscription.deadline != nil { deadlines.remove(index) }
    let (previous, next) = (subscription.previous, subscription.next)
    if previous < 0 { jobs[subscription.job].first = next } else { subscriptions[previous].next = next }
    if next < 0 { jobs[subscription.job].last = previous } else { subscriptions[next].previous = previous }
    jobs[subscription.job].counts[subscription.priority.rawValue] -= 1
  }

  /// After a subscriber has left: the job is less urgent, or ends, and with it what only it wanted.
  mutating func settle(_ job: Int, now: Instant, _ effects: inout Effects) {
    var job = job
    while jobs[job].subscriberCount == 0 {
      releaseKey(of: job)
      switch jobs[job].state {
      case .deciding:
        enter(job, .abandoned(nil), now: now)
        return effects.cancellations.append(payload(of: job))
      case .running(let station):
        enter(job, .abandoned(station), now: now)
        return effects.cancellations.append(payload(of: job))
      case .abandoned: return
      case .queued(let station):
        stations[station.index].queue.remove(job, in: &links)
        remove(job, &effects)
        return dispatch(station, now: now, &effects)
      case .parked(let subscription, _):
        remove(job, &effects)
        job = subscriptions[subscription].job
        drop(subscription, &effects)
      }
    }
    updateLevel(of: job, &effects)
  }
}
