/// Subscribers wait for jobs: subscribing, unsubscribing, and changes of priority and deadline.
extension JobGraph {
  /// Subscribes to the job of a key. A job that does not exist yet is made.
  ///
  /// - Parameters:
  ///   - key: `nil` for work that is not shared.
  ///   - nester: the job whose owner waits for this one in the middle of its work, if any. `wouldWaitForItself` says
  ///     whether it may.
  ///   - make: returns the work of a new job and where it goes first. Called before this returns, at most once.
  /// - Returns: the identifier of the subscription, and whether a new job was made.
  @inline(__always)
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
  @inline(__always)
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

  /// Sets the deadline of a subscription. It replaces an earlier one; `nil` removes it.
  package mutating func setDeadline(_ id: SlotID, _ deadline: JobDeadline?) {
    guard subscriptions.contains(id) else { return }
    deadlines.remove(id.index)
    subscriptions[id.index].deadline = deadline
    if let deadline { deadlines.insert(id.index, at: deadline.instant) }
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
      effects.overdue.append((waiter, standing(of: job)))
    } else {
      let dependent = subscriptions[subscription].dependent
      enter(dependent, .deciding, now: now)
      wake(dependent, .overdue, &effects)
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

/// Jobs wait for places: the queues and the places of stations and origins, and the jobs that get a place.
extension JobGraph {
  /// An origin in a station.
  struct OriginPlace: Hashable, Sendable {
    let station: StationID
    let origin: JobOrigin

    init(_ station: StationID, _ origin: JobOrigin) { (self.station, self.origin) = (station, origin) }
  }

  /// Gives a job its origin in a station that tells origins apart.
  mutating func join(_ origin: JobOrigin, _ job: Int, in station: StationID) {
    guard let width = stations[station.index].originWidth else { return }
    let place = OriginPlace(station, origin)
    if let index = originIndices[place] {
      if index == idleOrigin { idleOrigin = -1 }
      return jobs[job].origin = index
    }
    let index = origins.insert(
      OriginQueue(station: station, origin: origin, width: origin == .none ? .max : width))
    originIndices[place] = index
    jobs[job].origin = index
  }

  /// Takes the origin of a job away, which is neither queued nor has a place.
  mutating func leaveOrigin(_ job: Int) {
    let origin = jobs[job].origin
    guard origin >= 0 else { return }
    jobs[job].origin = -1
    guard origins[origin].runningCount == 0, origins[origin].queue.count == 0 else { return }
    if idleOrigin >= 0 {
      let former = origins.remove(at: idleOrigin)
      originIndices[OriginPlace(former.station, former.origin)] = nil
    }
    idleOrigin = origin
  }

  /// Puts a job behind the others of its priority.
  mutating func enqueue(_ job: Int, in station: StationID, size: Int) {
    let (index, origin, level) = (station.index, jobs[job].origin, jobs[job].level)
    lastTurn += 1
    stations[index].queuedCount += 1
    stations[index].queuedByteCount += size
    if origin < 0 {
      stations[index].queue.append(job, priority: level, size: size, turn: lastTurn, in: &jobs)
      if stations[index].isForeground, level >= .normal { urgentCount += 1 }
    } else {
      origins[origin].queue.append(job, priority: level, size: size, turn: lastTurn, in: &jobs)
      rank(origin, in: index)
    }
  }

  /// Removes a job from the queue in which it waits. It keeps its origin.
  mutating func dequeue(_ job: Int, from station: StationID) {
    let (index, origin) = (station.index, jobs[job].origin)
    stations[index].queuedCount -= 1
    stations[index].queuedByteCount -= jobs[job].position.size
    if origin < 0 {
      if stations[index].isForeground, jobs[job].position.priority >= .normal { urgentCount -= 1 }
      stations[index].queue.remove(job, in: &jobs)
    } else {
      origins[origin].queue.remove(job, in: &jobs)
      rank(origin, in: index)
    }
  }

  /// The job that starts next, if its station has a place. The caller removes it from its queue.
  private mutating func nextJob(in station: Int) -> Int? {
    guard stations[station].originWidth != nil else { return stations[station].queue.next(in: jobs) }
    return stations[station].ready.first.flatMap { origins[$0.slot].queue.next(in: jobs) }
  }

  private mutating func takePlace(_ job: Int, in station: StationID) {
    stations[station.index].runningCount += 1
    let origin = jobs[job].origin
    guard origin >= 0 else { return }
    origins[origin].runningCount += 1
    rank(origin, in: station.index)
  }

  mutating func freePlace(of job: Int, in station: StationID) {
    stations[station.index].runningCount -= 1
    let origin = jobs[job].origin
    guard origin >= 0 else { return }
    origins[origin].runningCount -= 1
    rank(origin, in: station.index)
    leaveOrigin(job)
  }

  /// Recomputes the rank of an origin, after its queue or its places have changed.
  private mutating func rank(_ origin: Int, in station: Int) {
    let (former, oldest) = (origins[origin].rank, origins[origin].queue.oldest(in: jobs))
    let rank = oldest.flatMap { oldest in
      origins[origin].runningCount < stations[station].limit(of: origins[origin].width, for: oldest.level)
        ? oldest : nil
    }
    guard rank != former else { return }
    if former != nil { stations[station].ready.remove(origin) }
    if let rank { stations[station].ready.insert(origin, at: rank) }
    origins[origin].rank = rank
    guard stations[station].isForeground else { return }
    urgentCount += (rank.map { $0.level >= .normal } ?? false ? 1 : 0)
    urgentCount -= (former.map { $0.level >= .normal } ?? false ? 1 : 0)
  }

  // MARK: Giving places to jobs

  mutating func dispatch(_ placement: Placement, now: Instant, _ effects: inout Effects) {
    if case .station(let station, _, _) = placement { dispatch(station, now: now, &effects) }
  }

  /// Gives the free places of a station to the next jobs in its queue, and then does the same for the station whose
  /// backpressure depends on it.
  mutating func dispatch(_ station: StationID, now: Instant, _ effects: inout Effects) {
    dispatchOne(station, now: now, &effects)
    if let dependent = stations[station.index].dependentStation { dispatchOne(dependent, now: now, &effects) }
  }

  /// Whether backpressure holds a station back because too many bytes wait in another one. No deadlock follows: the
  /// jobs that wait there wait for nothing else, and when one of them starts or leaves, `dispatch` checks this
  /// station again.
  func standsBack(_ station: Int) -> Bool {
    guard let rule = stations[station].backpressure else { return false }
    return stations[rule.station.index].queuedByteCount > rule.byteCount
  }

  private mutating func dispatchOne(_ station: StationID, now: Instant, _ effects: inout Effects) {
    let index = station.index
    while let level = stations[index].readyLevel, !standsBack(index),
      stations[index].isOpen(for: level, now), let job = nextJob(in: index)
    {
      dequeue(job, from: station)
      takePlace(job, in: station)
      // Only starts that the limiter delayed cost a token; waiting for a place does not.
      if stations[index].isHolding { stations[index].limiter?.noteLateStart() }
      enter(job, .running(station), now: now)
      start(job, in: station, continues: false, &effects)
    }
    guard let level = stations[index].readyLevel else {
      stations[index].isHolding = false
      setDue(station, nil)
      return
    }
    guard stations[index].hasPlace(for: level), !standsBack(index),
      stations[index].limiterDue == nil, let delay = stations[index].limiter?.delay
    else { return }
    stations[index].isHolding = true
    setDue(station, now.advanced(by: delay))
  }

  mutating func start(
    _ job: Int, in station: StationID, continues: Bool, _ effects: inout Effects
  ) {
    effects.starts.append(
      Effects.Start(
        job: jobs.id(at: job), payload: jobs[job].payload, station: station,
        input: jobs[job].input.take(),
        continues: continues, level: jobs[job].level))
  }
}

/// Places for work that is not a job: a second thread for a picture that already has one.
extension JobGraph {
  /// Takes a free place of a station whose queue is empty; `false` if there is none.
  ///
  /// The place counts as taken until `takeBack`. A job that arrives meanwhile waits for it, so lend places only for
  /// work of milliseconds.
  package mutating func lend(_ station: StationID, now: Instant) -> Bool {
    guard stations[station.index].queuedCount == 0, !standsBack(station.index),
      stations[station.index].isOpen(for: .normal, now)
    else { return false }
    stations[station.index].runningCount += 1
    return true
  }

  /// Takes back a place that was lent, and gives it to the next job in the queue.
  package mutating func takeBack(_ station: StationID, now: Instant, _ effects: inout Effects) {
    stations[station.index].runningCount -= 1
    dispatch(station, now: now, &effects)
  }
}
