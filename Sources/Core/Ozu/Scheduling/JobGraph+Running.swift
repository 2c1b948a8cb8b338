/// Operations on a job that is running or deciding.
extension JobGraph {
  /// The result of `depend`.
  package enum Dependence {
    /// The job waits.
    case parked
    /// The job had no subscriber any more, and is over.
    case abandoned
    /// The other job already waits for this one, so this one decides again.
    case circular
  }

  /// Gives a job's place back and sends it to another station, or lets it decide.
  ///
  /// - Returns: whether the job still has a subscriber; if not, it is over.
  package mutating func move(
    _ id: SlotID, to placement: Placement, now: Instant, _ effects: inout Effects
  ) -> Bool {
    guard let station = leave(id, now: now, &effects) else { return false }
    place(id.index, placement, now: now)
    if let station = station { dispatch(station, now: now, &effects) }
    dispatch(placement, now: now, &effects)
    return true
  }

  /// Gives a job's place back and makes the job wait for the job of a key. A job that does not exist yet is made.
  ///
  /// - Parameters:
  ///   - then: where the job goes when the other one has succeeded. If the other one has failed, the job decides
  ///     itself.
  ///   - deadline: how long the job waits; after that it decides.
  ///   - make: returns the work of a new job and where that goes first. Called before this returns, at most once.
  package mutating func depend(
    _ id: SlotID, on key: Key?, then: Placement, now: Instant, _ effects: inout Effects,
    deadline: JobDeadline? = nil,
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
    if let deadline { setDeadline(subscriptions.id(at: subscription), deadline) }
    return .parked
  }

  /// Ends a job: gives its place back, frees its key, and lists the subscribers to notify.
  ///
  /// If jobs waited for this one to go on in the same station, the most urgent of them takes the place at once,
  /// before any queued job: half-finished work holds memory that is not yet useful.
  ///
  /// - Parameter succeeded: if true, the jobs that depend on this one go where their `then` says; otherwise they
  ///   decide themselves.
  /// - Returns: whether the job still had a subscriber.
  @discardableResult
  package mutating func finish(_ id: SlotID, succeeded: Bool, now: Instant, _ effects: inout Effects) -> Bool
  {
    guard jobs.contains(id) else { return false }
    let payload = jobs[id.index].payload
    let successor = succeeded ? successor(of: id.index) : nil
    let station: StationID?
    if let successor, case .running(let own) = jobs[id.index].state {
      // The successor takes the place. The completion gives the limiter a token, so it may let queued jobs start now.
      station = own
      enter(successor, .running(own), now: now)
      (jobs[successor].origin, jobs[id.index].origin) = (jobs[id.index].origin, -1)
      stations[own.index].limiter?.noteCompletion()
      jobs[successor].input = payload
      start(successor, in: own, continues: true, &effects)
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
      if subscription.nester != nil { nestedCount -= 1 }
      let dependent = subscription.dependent
      if let waiter = subscription.waiter {
        effects.answers.append(waiter)
      } else if dependent != successor {
        if succeeded, case .parked(_, let then) = jobs[dependent].state, then != .nowhere {
          jobs[dependent].input = payload
          place(dependent, then, now: now)
          placements.append(then)
        } else {
          enter(dependent, .deciding, now: now)
          wake(dependent, .finished(payload), &effects)
        }
      }
    }
    // Unlike `remove`, this does not add the payload to `released`: the owner still holds it and releases it.
    jobs.remove(at: id.index)
    if let station = station ?? nil { dispatch(station, now: now, &effects) }
    for placement in placements { dispatch(placement, now: now, &effects) }
    return true
  }

  /// Suspends or resumes a station. A suspended station starts no jobs.
  package mutating func setSuspended(
    _ station: StationID, _ isSuspended: Bool, now: Instant, _ effects: inout Effects
  ) {
    stations[station.index].isSuspended = isSuspended
    dispatch(station, now: now, &effects)
  }

  /// Takes the place of a running job away, because its owner waits for something else. It gets one again with `move`.
  ///
  /// - Returns: whether the job had a place, and still has a subscriber.
  package mutating func pause(_ id: SlotID, now: Instant, _ effects: inout Effects) -> Bool {
    guard jobs.contains(id), case .running = jobs[id.index].state else { return false }
    return move(id, to: .nowhere, now: now, &effects)
  }

  // MARK: Places

  /// Takes a job out of its place, if it has one. Does not dispatch.
  ///
  /// - Returns: the station whose place is free now, or `.some(nil)` if the job had no place. `nil` if the job had no
  ///   subscriber: the job is over then, and its station has been dispatched.
  private mutating func leave(_ id: SlotID, now: Instant, _ effects: inout Effects) -> StationID?? {
    guard jobs.contains(id) else { return nil }
    switch jobs[id.index].state {
    case .running(let station):
      freePlace(of: id.index, in: station)
      stations[station.index].limiter?.noteCompletion()
      return .some(station)
    case .deciding: return .some(nil)
    case .abandoned(let station):
      defer { remove(id.index, &effects) }
      guard let station else { return nil }
      if stations[station.index].freesAbandoned {
        stations[station.index].abandonedCount -= 1
      } else {
        freePlace(of: id.index, in: station)
        stations[station.index].limiter?.noteCancellation(now)
        dispatch(station, now: now, &effects)
      }
      return nil
    case .queued, .parked: preconditionFailure("a job that waits cannot be moved or finished by its owner")
    }
  }

  /// Lets a job decide that has waited.
  func wake(_ job: Int, _ reason: Effects.Wake.Reason, _ effects: inout Effects) {
    effects.wakes.append(
      Effects.Wake(job: jobs.id(at: job), payload: jobs[job].payload, reason: reason))
  }

  /// The most urgent of the jobs that wait for a job to go on in its station; the first of equals.
  private func successor(of job: Int) -> Int? {
    guard case .running(let station) = jobs[job].state else { return nil }
    var successor: Int?
    var subscription = jobs[job].subscriptions.first
    while subscription >= 0 {
      let dependent = subscriptions[subscription].dependent
      if dependent >= 0, case .parked(_, then: .station(station, _, let origin)) = jobs[dependent].state,
        originIndices[OriginPlace(station, origin)] ?? -1 == jobs[job].origin,
        successor.map({ jobs[dependent].level > jobs[$0].level }) ?? true
      {
        successor = dependent
      }
      subscription = subscriptions.next(after: subscription)
    }
    return successor
  }

  /// Whether the owner of a job would wait for itself if it waited for the job of a key.
  package func wouldWaitForItself(_ id: SlotID, on key: Key?) -> Bool {
    guard jobs.contains(id), let other = index(of: key) else { return false }
    return waits(other, for: id.index)
  }

  /// Whether a job waits for another one, directly or through others, or is that one.
  private func waits(_ job: Int, for other: Int) -> Bool {
    if nestedCount > 0 { return isAwaited(other, by: job) }
    var job = job
    while job != other {
      guard case .parked(let subscription, _) = jobs[job].state else { return false }
      job = subscriptions[subscription].job
    }
    return true
  }

  /// The same from the other end: an owner may wait for several jobs at once, and its job does not know them.
  ///
  /// - Complexity: O(jobs that wait for this one, and their subscribers).
  private func isAwaited(_ job: Int, by other: Int) -> Bool {
    var (found, next) = ([job] as Set, [job])
    while let job = next.popLast() {
      if job == other { return true }
      var index = jobs[job].subscriptions.first
      while index >= 0 {
        let (dependent, nester) = (subscriptions[index].dependent, subscriptions[index].nester)
        if dependent >= 0, found.insert(dependent).inserted { next.append(dependent) }
        if let nester, jobs.contains(nester), found.insert(nester.index).inserted {
          next.append(nester.index)
        }
        index = subscriptions.next(after: index)
      }
    }
    return false
  }
}

/// The actions that an operation of a `JobGraph` requests. Its owner carries them out after it has released its lock,
/// in this order.
package struct JobEffects<Payload, Waiter> {
  package struct Start {
    package let job: SlotID
    package let payload: Payload
    package let station: StationID
    /// The finished job that it waited for; nil if it waited for none.
    package let input: Payload?
    /// Whether the thread that has just finished another job continues with this one.
    package let continues: Bool
    /// The priority at the start.
    package let level: ImagePriority
  }

  package struct Wake {
    package enum Reason {
      /// The job that it waited for is over.
      case finished(Payload)
      /// The deadline of its wait has passed.
      case overdue
    }

    package let job: SlotID
    package let payload: Payload
    package let reason: Reason
  }

  /// Running jobs that have lost their last subscriber. The owner cancels their work.
  package var cancellations: [Payload] = []
  /// Jobs that have just received a place. The owner starts each on a thread, in the transport, or in a Swift task.
  package var starts: [Start] = []
  /// Jobs that waited for another one and now decide how to continue.
  package var wakes: [Wake] = []
  /// The subscribers of the finished job.
  package var answers: [Waiter] = []
  /// The subscribers whose deadlines have passed, with the progress of the work. They are no longer subscribed.
  package var overdue: [(waiter: Waiter, standing: JobStanding<Payload>)] = []
  /// Whether the last job that makes prefetching wait has left the queues (the idle signal).
  package var becameIdle = false
  /// The subscribers that have left. They are in this list so that they are released outside the lock.
  package var left: [Waiter] = []
  /// The work of removed jobs. It is in this list so that it is released outside the lock, because it may hold
  /// objects of the app. The work of a finished job is not in the list: its owner still holds it.
  package var released: [Payload] = []
  /// The finished inputs of removed jobs; released outside the lock for the same reason.
  var spent: [Payload] = []

  package init() {}

  /// Whether there is nothing to do.
  var isEmpty: Bool {
    starts.isEmpty && cancellations.isEmpty && wakes.isEmpty && answers.isEmpty
      && overdue.isEmpty && !becameIdle && left.isEmpty && released.isEmpty && spent.isEmpty
  }

  /// Removes all elements, and keeps the memory of lists of up to 16 elements.
  mutating func clear() {
    Self.empty(&starts)
    Self.empty(&cancellations)
    Self.empty(&wakes)
    Self.empty(&answers)
    Self.empty(&overdue)
    Self.empty(&left)
    Self.empty(&released)
    Self.empty(&spent)
    becameIdle = false
  }

  private static func empty<Element>(_ list: inout [Element]) {
    guard !list.isEmpty else { return }
    if list.count > 16 { list = [] }
    while list.popLast() != nil {}
  }
}

/// The progress of a job: the state of the last job in the chain that it waits for, or of the job itself.
package struct JobStanding<Payload> {
  package let payload: Payload
  /// The station in which that job is queued or running.
  package let station: StationID?
  /// Whether that job has a place there.
  package let isRunning: Bool
}

extension JobStanding: Sendable where Payload: Sendable {}
extension JobEffects: Sendable where Payload: Sendable, Waiter: Sendable {}
extension JobEffects.Start: Sendable where Payload: Sendable, Waiter: Sendable {}
extension JobEffects.Wake: Sendable where Payload: Sendable, Waiter: Sendable {}
extension JobEffects.Wake.Reason: Sendable where Payload: Sendable, Waiter: Sendable {}
