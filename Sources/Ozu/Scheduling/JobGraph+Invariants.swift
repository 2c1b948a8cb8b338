/// The conditions that must hold after every operation.
extension JobGraph {
  /// Whether there is no job, no subscription, no deadline, and no place taken.
  package var isEmpty: Bool {
    jobs.count == 0 && subscriptions.count == 0 && keys.count == 0 && deadlines.count == 0 && isIdle
      && stations.indices.allSatisfy { stations[$0].runningCount == 0 && stations[$0].queue.count == 0 }
  }

  /// The number of jobs, abandoned ones included.
  package var count: Int { jobs.count }

  package func runningCount(in station: StationID) -> Int { stations[station.index].runningCount }

  package func queuedCount(in station: StationID) -> Int { stations[station.index].queue.count }

  /// A description of the first broken invariant; `nil` if all hold. The invariants: if a station has a free place
  /// that its limiter and backpressure allow, no job waits for it; and no station runs more jobs than its width.
  ///
  /// - Complexity: O(stations).
  package mutating func brokenInvariant(now: Instant) -> String? {
    for index in stations.indices {
      let station = stations[index]
      if station.runningCount < 0 || station.runningCount > station.width {
        return "\(station.runningCount) of \(station.width) places of station \(index) are taken"
      }
      // While an alarm is set, the limiter gives its places out when the alarm rings.
      if station.queue.count > 0, station.limiterDue == nil, !standsBack(index), stations[index].hasPlace(now)
      {
        return "a place of station \(index) is free, and \(station.queue.count) wait"
      }
    }
    return nil
  }
}
