/// The queues and the places of stations and origins, and the jobs that get a place.
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
