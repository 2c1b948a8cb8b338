/// Places for work that is no job: a second thread for a picture that has one already.
extension JobGraph {
  /// Takes a place of a station that is free and for which nobody waits; `false` when there is none.
  ///
  /// It counts as running until it is given back. While it is lent, one who comes waits for it: so it is for work of
  /// milliseconds.
  package mutating func lend(_ station: StationID, now: Instant) -> Bool {
    guard stations[station.index].queue.count == 0, !standsBack(station.index),
      stations[station.index].hasPlace(now)
    else { return false }
    stations[station.index].runningCount += 1
    return true
  }

  /// Takes back a place that was lent, for those who wait for it by now.
  package mutating func takeBack(_ station: StationID, now: Instant, _ effects: inout Effects) {
    stations[station.index].runningCount -= 1
    dispatch(station, now: now, &effects)
  }
}
