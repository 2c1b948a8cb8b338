/// Read access for diagnostics.
extension JobGraph {
  /// The state of a job at one moment.
  package struct Snapshot {
    package let id: SlotID
    package let key: Key?
    package let payload: Payload
    package let state: State
    /// When the job entered its state.
    package let since: Instant
    package let creation: Instant
    package let subscriberCount: Int
    package let level: ImagePriority
    /// The number of jobs before it in the queue of its station or origin; nil if it is not queued.
    package let position: Int?
    /// The job that it waits for.
    package let dependency: Payload?
  }

  /// The jobs that have subscribers.
  ///
  /// - Complexity: O(jobs), times the length of the queue for each queued job.
  package var snapshots: [Snapshot] {
    jobs.indices.compactMap { index in
      if case .abandoned = jobs[index].state { nil } else { snapshot(at: index) }
    }
  }

  private func snapshot(at index: Int) -> Snapshot {
    let job = jobs[index]
    var position: Int?
    if case .queued(let station) = job.state {
      position =
        job.origin < 0
        ? stations[station.index].queue.position(of: index, in: jobs)
        : origins[job.origin].queue.position(of: index, in: jobs)
    }
    return Snapshot(
      id: jobs.id(at: index), key: job.key, payload: job.payload, state: job.state,
      since: job.since,
      creation: job.creation, subscriberCount: job.subscriberCount, level: job.level, position: position,
      dependency: dependency(of: jobs.id(at: index))?.payload)
  }

  /// The priority of a job; `nil` when it is over.
  package func level(of id: SlotID) -> ImagePriority? { jobs.contains(id) ? jobs[id.index].level : nil }

  /// The progress of a subscription's job; `nil` when the job is over.
  package func standing(ofSubscription id: SlotID) -> JobStanding<Payload>? {
    subscriptions.contains(id) ? standing(of: subscriptions[id.index].job) : nil
  }

  func standing(of job: Int) -> JobStanding<Payload> {
    let job = last(before: job)
    switch jobs[job].state {
    case .queued(let station):
      return JobStanding(payload: jobs[job].payload, station: station, isRunning: false)
    case .running(let station), .abandoned(let station?):
      return JobStanding(payload: jobs[job].payload, station: station, isRunning: true)
    default: return JobStanding(payload: jobs[job].payload, station: nil, isRunning: false)
    }
  }

  /// The last job in the chain that a job waits for; the job itself if it waits for none.
  func last(before job: Int) -> Int {
    var job = job
    while case .parked(let subscription, _) = jobs[job].state { job = subscriptions[subscription].job }
    return job
  }

  /// A copy of a station's state.
  package func station(_ id: StationID) -> Station { stations[id.index] }
}

/// The conditions that must hold after every operation.
extension JobGraph {
  /// Whether there is no job, no subscription, no deadline, and no place taken.
  package var isEmpty: Bool {
    jobs.count == 0 && subscriptions.count == 0 && keys.count == 0 && deadlines.count == 0 && isIdle
      && nestedCount == 0 && origins.count == (idleOrigin < 0 ? 0 : 1) && originIndices.count == origins.count
      && stations.indices.allSatisfy { index in
        stations[index].runningCount == 0 && stations[index].queuedCount == 0
          && stations[index].queuedByteCount == 0 && stations[index].abandonedCount == 0
      }
  }

  /// The number of jobs, abandoned ones included.
  package var count: Int { jobs.count }

  package func runningCount(in station: StationID) -> Int { stations[station.index].runningCount }

  package func queuedCount(in station: StationID) -> Int { stations[station.index].queuedCount }

  package func abandonedCount(in station: StationID) -> Int { stations[station.index].abandonedCount }

  /// A description of the first broken invariant; `nil` if all hold. The invariants: if a station has a free place
  /// that its limiter and backpressure allow, no job waits for it whose origin has one too; and no station or origin
  /// runs more jobs than its width.
  ///
  /// - Complexity: O(stations and origins).
  package mutating func brokenInvariant(now: Instant) -> String? {
    for index in stations.indices {
      let station = stations[index]
      if station.runningCount < 0 || station.runningCount > station.width {
        return "\(station.runningCount) of \(station.width) places of station \(index) are taken"
      }
      // While an alarm is set, the limiter gives its places out when the alarm rings.
      if let level = station.readyLevel, station.limiterDue == nil, !standsBack(index),
        stations[index].isOpen(for: level, now)
      {
        return "a place of station \(index) is free, and \(station.queuedCount) wait"
      }
    }
    for index in origins.indices {
      let (running, width) = (origins[index].runningCount, origins[index].width)
      if running < 0 || running > width { return "\(running) of \(width) places of an origin are taken" }
    }
    return nil
  }
}

extension JobGraph.Snapshot: Sendable where Key: Sendable, Payload: Sendable, Waiter: Sendable {}
