import Ozu
import OzuTesting

/// Lending places, and suspending stations.
extension ModelRun {
  mutating func suspend(_ isSuspended: Bool) throws(Mismatch) {
    guard let station = StationID.allCases.randomElement(using: &random) else { return }
    try setSuspended(station, isSuspended)
  }

  /// Lends a place, or takes one back.
  mutating func lend() throws(Mismatch) {
    if lent.count > 3 || (!lent.isEmpty && Bool.random(using: &random)) {
      return try takeBack(lent.remove(at: Int.random(in: lent.indices, using: &random)))
    }
    guard let station = StationID.allCases.randomElement(using: &random) else { return }
    let isLent = graph.lend(station, now: now)
    try check(isLent == model.lend(station, now: now), "lend", "a place of \(station.index): \(isLent)")
    if isLent {
      lent.append(station)
      coverage.lent += 1
    }
    try compare(Graph.Effects(), ExpectedEffects(), "lend a place of \(station.index)")
  }

  mutating func takeBack(_ station: StationID) throws(Mismatch) {
    var effects = Graph.Effects()
    graph.takeBack(station, now: now, &effects)
    try compare(effects, model.takeBack(station, now: now), "take a place of \(station.index) back")
  }

  mutating func setSuspended(_ station: StationID, _ isSuspended: Bool) throws(Mismatch) {
    var effects = Graph.Effects()
    graph.setSuspended(station, isSuspended, now: now, &effects)
    let told = model.setSuspended(station, isSuspended, now: now)
    try compare(effects, told, "suspend \(station.index): \(isSuspended)")
  }
}
