/// The conditions that must hold after every operation.
extension JobGraph {
  /// Whether there is no job, no subscription, no deadline, and no place taken.
  package var isEmpty: Bool {
    jobs.count == 0 && subscriptions.count == 0 && keys.count == 0 && deadlines.count == 0 && isIdle
      && nestedCount == 0 && origins.count == 0 && originIndices.isEmpty
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
