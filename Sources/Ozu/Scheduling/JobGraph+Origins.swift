/// The queues and the places of stations and origins.
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
    if originIndices[place] == nil {
      originIndices[place] = origins.insert(
        OriginQueue(origin: origin, width: origin == .none ? .max : width))
    }
    jobs[job].origin = originIndices[place] ?? -1
  }

  /// Takes the origin of a job away, which is neither queued nor has a place.
  mutating func leaveOrigin(_ job: Int, in station: StationID) {
    let origin = jobs[job].origin
    guard origin >= 0 else { return }
    jobs[job].origin = -1
    guard origins[origin].runningCount == 0, origins[origin].queue.count == 0 else { return }
    originIndices[OriginPlace(station, origins.remove(at: origin).origin)] = nil
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
    stations[index].queuedByteCount -= jobs[job].place.size
    if origin < 0 {
      if stations[index].isForeground, jobs[job].place.priority >= .normal { urgentCount -= 1 }
      stations[index].queue.remove(job, in: &jobs)
    } else {
      origins[origin].queue.remove(job, in: &jobs)
      rank(origin, in: index)
    }
  }

  /// The job that starts next, if its station has a place. The caller removes it from its queue.
  mutating func nextJob(in station: Int) -> Int? {
    guard stations[station].originWidth != nil else { return stations[station].queue.next(in: jobs) }
    return stations[station].ready.first.flatMap { origins[$0.slot].queue.next(in: jobs) }
  }

  mutating func takePlace(_ job: Int, in station: StationID) {
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
    leaveOrigin(job, in: station)
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
}
