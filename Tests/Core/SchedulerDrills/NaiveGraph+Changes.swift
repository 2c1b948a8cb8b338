import Ozu

/// The parts of the operations.
extension NaiveGraph {
  mutating func change(
    _ now: JobInstant, _ body: (inout NaiveGraph, inout ExpectedEffects) -> Void
  ) -> ExpectedEffects {
    var expected = ExpectedEffects()
    body(&self, &expected)
    relevel()
    dispatchAll(now, &expected)
    return expected
  }

  mutating func set(_ payload: Int, _ state: State) {
    if let index = index(of: payload) { jobs[index].state = state }
  }

  mutating func update(_ owner: Owner, _ body: (inout Subscriber) -> Void) {
    for index in subscribers.indices where subscribers[index].owner == owner { body(&subscribers[index]) }
  }

  mutating func place(_ payload: Int, _ placement: Placement) {
    guard let index = index(of: payload) else { return }
    guard case .station(let station, let size, let origin) = placement else { return set(payload, .deciding) }
    lastTurn += 1
    jobs[index].state = .queued(station)
    jobs[index].turn = lastTurn
    jobs[index].size = size
    jobs[index].origin = stations[station.index].originWidth == nil ? .none : origin
    jobs[index].queuedLevel = levels()[payload] ?? .veryLow
  }

  /// Moves a job whose level has changed behind the others of its new level.
  mutating func relevel() {
    let levels = levels()
    for index in jobs.indices {
      guard case .queued = jobs[index].state else { continue }
      let level = levels[jobs[index].payload] ?? .veryLow
      guard level != jobs[index].queuedLevel else { continue }
      lastTurn += 1
      jobs[index].turn = lastTurn
      jobs[index].queuedLevel = level
    }
  }

  /// Takes a job out of its place; false if it has no subscriber.
  mutating func leave(_ payload: Int, _ now: JobInstant, _ expected: inout ExpectedEffects) -> Bool {
    guard let index = index(of: payload) else { return false }
    switch jobs[index].state {
    case .running(let station):
      stations[station.index].limiter?.noteCompletion()
      jobs[index].state = .deciding
      return true
    case .abandoned(let station):
      if let station, !stations[station.index].freesAbandoned {
        stations[station.index].limiter?.noteCancellation(now)
      }
      jobs.remove(at: index)
      expected.released.append(payload)
      return false
    case .deciding, .queued, .parked: return true
    }
  }

  /// Removes a subscriber, and the jobs that then have none.
  mutating func drop(_ owner: Owner, _ now: JobInstant, _ expected: inout ExpectedEffects) {
    guard let place = subscribers.firstIndex(where: { $0.owner == owner }) else { return }
    let payload = subscribers.remove(at: place).job
    if case .waiter(let waiter) = owner, let index = index(of: payload) { jobs[index].nesters[waiter] = nil }
    guard subscriberCount(of: payload) == 0, let index = index(of: payload) else { return }
    switch jobs[index].state {
    case .deciding:
      jobs[index].state = .abandoned(nil)
      expected.cancellations.append(payload)
    case .running(let station):
      jobs[index].state = .abandoned(station)
      if stations[station.index].freesAbandoned { stations[station.index].limiter?.noteCancellation(now) }
      expected.cancellations.append(payload)
    case .abandoned: break
    case .queued, .parked:
      jobs.remove(at: index)
      expected.released.append(payload)
      drop(.job(payload), now, &expected)
    }
  }

  func nextOverdue(_ now: JobInstant) -> (Owner, (instant: JobInstant, endsAtStart: Bool))? {
    var next: (Owner, (instant: JobInstant, endsAtStart: Bool))?
    for subscriber in subscribers {
      guard let deadline = subscriber.deadline, deadline.instant <= now,
        next.map({ deadline.instant < $0.1.instant }) ?? true
      else { continue }
      next = (subscriber.owner, deadline)
    }
    return next
  }

  mutating func dispatchAll(_ now: JobInstant, _ expected: inout ExpectedEffects) {
    for station in StationID.allCases where station.index < stations.count {
      dispatch(station, now, &expected)
    }
  }

  mutating func dispatch(_ station: StationID, _ now: JobInstant, _ expected: inout ExpectedEffects) {
    let index = station.index
    while true {
      let ready = ready(for: station)
      guard let level = ready.map(\.queuedLevel).max() else {
        stations[index].isHolding = false
        stations[index].due = nil
        return
      }
      guard runningCount(in: station) < stations[index].limit(stations[index].width, level),
        !stations[index].isSuspended, !standsBack(station)
      else { return }
      guard stations[index].limiter?.isOpen(now) ?? true else { break }
      let job = next(of: ready.filter { $0.queuedLevel == level }, in: station)
      if stations[index].isHolding { stations[index].limiter?.noteLateStart() }
      set(job.payload, .running(station))
      if let index = self.index(of: job.payload) { jobs[index].input = nil }
      expected.starts.append(
        ExpectedEffects.Start(
          payload: job.payload, station: station, input: job.input, continues: false, level: job.queuedLevel))
    }
    guard stations[index].due == nil, let delay = stations[index].limiter?.delay else { return }
    stations[index].isHolding = true
    stations[index].due = now.advanced(by: delay)
  }

  /// Of equally urgent jobs the oldest; but smaller ones of its origin may go before it while it has credit.
  mutating func next(of waiting: [Job], in station: StationID) -> Job {
    func sizeClass(_ job: Job) -> Int {
      job.size <= 64 << 10 ? 0 : job.size <= 512 << 10 ? 1 : job.size <= 4 << 20 ? 2 : 3
    }
    let oldest = waiting.sorted { $0.turn < $1.turn }[0]
    let (level, origin) = (oldest.queuedLevel, oldest.origin)
    let equals = waiting.filter { isSame($0, oldest, station) }.sorted { $0.turn < $1.turn }
    var overtaken = stations[station.index].overtaken[origin, default: [:]][level] ?? (-1, 0)
    if overtaken.turn != oldest.turn { overtaken = (oldest.turn, 0) }
    defer { stations[station.index].overtaken[origin, default: [:]][level] = overtaken }
    let credit = oldest.size - overtaken.size
    for smaller in 0..<sizeClass(oldest) {
      guard let head = equals.first(where: { sizeClass($0) == smaller }), head.size <= credit else {
        continue
      }
      overtaken.size += head.size
      return head
    }
    return oldest
  }
}
