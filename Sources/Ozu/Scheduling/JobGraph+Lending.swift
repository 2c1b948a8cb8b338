/// Places for work that is not a job: a second thread for a picture that already has one.
extension JobGraph {
  /// Takes a free place of a station whose queue is empty; `false` if there is none.
  ///
  /// The place counts as taken until `takeBack`. A job that arrives meanwhile waits for it, so lend places only for
  /// work of milliseconds.
  package mutating func lend(_ station: StationID, now: Instant) -> Bool {
    guard stations[station.index].queue.count == 0, !standsBack(station.index),
      stations[station.index].hasPlace(now)
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
