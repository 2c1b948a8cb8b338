import Ozu

/// The scheduler once more, written to be plainly right: a list of jobs and a list of those who want them, which are
/// searched from end to end for each question. It forgets no wake-up, because after each change it looks whether anybody anywhere could begin.
package struct NaiveGraph {
  package typealias Graph = JobGraph<Int, Int, Int>
  package typealias Placement = Graph.Placement

  enum State: Equatable {
    case deciding
    case queued(StationID)
    case running(StationID)
    case parked(on: Int, then: Placement)
    case abandoned(StationID?)
  }

  enum Owner: Equatable {
    case waiter(Int)
    case job(Int)
  }

  struct Subscriber {
    let owner: Owner
    /// By its payload.
    let job: Int
    var priority = ImagePriority.veryLow
    var deadline: (instant: ContinuousClock.Instant, tag: Int, endsAtStart: Bool)?
  }

  struct Job {
    let key: Int?
    let payload: Int
    var state = State.deciding
    /// Of its last entry into a queue.
    var turn = 0
    var size = 0
    /// What it waited for, until it is told.
    var input: Int?
    var queuedLevel = ImagePriority.veryLow
  }

  private struct Place {
    let width: Int
    let isForeground: Bool
    var limiter: StartLimiter?
    var isSuspended = false
    var due: ContinuousClock.Instant?
    var isHolding = false
    /// For each level, the turn of the job that has been overtaken, and by how much.
    var overtaken = ImagePriority.allCases.map { _ in (turn: -1, size: 0) }
  }

  private(set) var jobs: [Job] = []
  /// In the order in which they came.
  private var subscribers: [Subscriber] = []
  private var places: [Place]
  private var lastTurn = 0

  package init(stations: [(width: Int, isForeground: Bool, limiter: StartLimiter?)]) {
    places = stations.map { Place(width: $0.width, isForeground: $0.isForeground, limiter: $0.limiter) }
  }

  // MARK: Questions

  private func index(of payload: Int) -> Int? { jobs.firstIndex { $0.payload == payload } }

  private func index(ofKey key: Int?) -> Int? {
    guard let key else { return nil }
    return jobs.firstIndex {
      if case .abandoned = $0.state { false } else { $0.key == key }
    }
  }

  /// How urgent each job is, by its payload: as the most urgent of those who wait for it, or for what waits for it.
  func levels() -> [Int: ImagePriority] {
    var levels: [Int: ImagePriority] = [:]
    for subscriber in subscribers {
      guard case .waiter = subscriber.owner else { continue }
      var job: Int? = subscriber.job
      while let payload = job, levels[payload].map({ $0 < subscriber.priority }) ?? true {
        levels[payload] = subscriber.priority
        job = index(of: payload).flatMap { index in
          if case .parked(let other, _) = jobs[index].state { other } else { nil }
        }
      }
    }
    return levels
  }

  private var runningLevels: [Int: ImagePriority] {
    let levels = levels()
    return jobs.reduce(into: [:]) { result, job in
      if case .running = job.state { result[job.payload] = levels[job.payload] ?? .veryLow }
    }
  }

  func subscriberCount(of job: Int) -> Int { subscribers.count { $0.job == job } }

  func runningCount(in station: StationID) -> Int {
    jobs.count { $0.state == .running(station) || $0.state == .abandoned(station) }
  }

  func queuedCount(in station: StationID) -> Int { jobs.count { $0.state == .queued(station) } }

  var isCalm: Bool {
    !jobs.contains { job in
      guard case .queued(let station) = job.state else { return false }
      return places[station.index].isForeground && job.queuedLevel >= .normal
    }
  }

  private func isWaiting(_ payload: Int, for other: Int) -> Bool {
    var payload = payload
    while payload != other {
      guard let index = index(of: payload), case .parked(let next, _) = jobs[index].state else {
        return false
      }
      payload = next
    }
    return true
  }

  private func hasBegun(_ payload: Int) -> Bool {
    guard let index = index(of: payload) else { return true }
    switch jobs[index].state {
    case .parked(let other, _): return hasBegun(other)
    case .queued: return false
    default: return true
    }
  }

  // MARK: Operations

  package mutating func subscribe(
    _ waiter: Int, to key: Int?, _ priority: ImagePriority, payload: Int, _ placement: Placement,
    now: ContinuousClock.Instant
  ) -> Told {
    change(now) { model, _ in
      let index = model.index(ofKey: key)
      let job = index.map { model.jobs[$0].payload } ?? payload
      model.subscribers.append(Subscriber(owner: .waiter(waiter), job: job, priority: priority))
      guard index == nil else { return }
      model.jobs.append(Job(key: key, payload: payload))
      model.place(payload, placement)
    }
  }

  package mutating func unsubscribe(_ waiter: Int, now: ContinuousClock.Instant) -> Told {
    change(now) { model, told in model.drop(.waiter(waiter), &told) }
  }

  package mutating func setPriority(
    _ waiter: Int, to priority: ImagePriority, now: ContinuousClock.Instant
  ) -> Told {
    change(now) { model, _ in
      model.update(.waiter(waiter)) { $0.priority = priority }
    }
  }

  package mutating func setDeadline(
    _ waiter: Int, at instant: ContinuousClock.Instant?, tag: Int, endsAtStart: Bool
  ) {
    update(.waiter(waiter)) { $0.deadline = instant.map { ($0, tag, endsAtStart) } }
  }

  /// - Returns: what it asks for, and whether somebody still wants the job.
  package mutating func move(
    _ payload: Int, to placement: Placement, now: ContinuousClock.Instant
  ) -> (Told, Bool) {
    var isWanted = true
    let told = change(now) { model, told in
      isWanted = model.leave(payload, now, &told)
      if isWanted { model.place(payload, placement) }
    }
    return (told, isWanted)
  }

  package mutating func depend(
    _ payload: Int, on key: Int?, then: Placement, making other: Int, _ placement: Placement,
    deadline: (instant: ContinuousClock.Instant, tag: Int)?, now: ContinuousClock.Instant
  ) -> (Told, Graph.Dependence) {
    var dependence = Graph.Dependence.parked
    let told = change(now) { model, told in
      guard model.leave(payload, now, &told) else {
        dependence = .abandoned
        return
      }
      model.set(payload, .deciding)
      let index = model.index(ofKey: key)
      let job = index.map { model.jobs[$0].payload } ?? other
      if model.isWaiting(job, for: payload) {
        dependence = .circular
        return
      }
      model.subscribers.append(
        Subscriber(owner: .job(payload), job: job, deadline: deadline.map { ($0.instant, $0.tag, false) }))
      model.set(payload, .parked(on: job, then: then))
      guard index == nil else { return }
      model.jobs.append(Job(key: key, payload: other))
      model.place(other, placement)
    }
    return (told, dependence)
  }

  package mutating func finish(
    _ payload: Int, succeeded: Bool, now: ContinuousClock.Instant
  ) -> (Told, Bool) {
    var isWanted = true
    let told = change(now) { model, told in
      let own = model.index(of: payload).map { model.jobs[$0].state }
      isWanted = model.leave(payload, now, &told)
      guard isWanted, let index = model.index(of: payload) else { return }
      let levels = model.levels()
      model.jobs.remove(at: index)
      told.released.append(payload)
      let subscribers = model.subscribers.filter { $0.job == payload }
      var dependents: [(payload: Int, then: Placement)] = []
      for subscriber in subscribers {
        switch subscriber.owner {
        case .waiter(let waiter): told.answers.append(waiter)
        case .job(let dependent):
          guard let index = model.index(of: dependent), case .parked(_, let then) = model.jobs[index].state
          else { continue }
          dependents.append((dependent, succeeded ? then : .nowhere))
        }
      }
      // The most urgent that goes on in the same station takes the place.
      var heir: Int?
      if case .running(let station)? = own {
        var best: ImagePriority?
        for dependent in dependents {
          guard case .station(station, _) = dependent.then else { continue }
          let level = levels[dependent.payload] ?? .veryLow
          if best.map({ level > $0 }) ?? true { (heir, best) = (dependent.payload, level) }
        }
        if let heir {
          model.set(heir, .running(station))
          told.starts.append(Told.Start(payload: heir, station: station, input: payload, continues: true))
        }
      }
      model.subscribers.removeAll { $0.job == payload }
      for dependent in dependents where dependent.payload != heir {
        model.place(dependent.payload, dependent.then)
        if dependent.then == .nowhere || !succeeded {
          told.wakes.append(Told.Wake(payload: dependent.payload, input: payload, overdue: nil))
        } else if let index = model.index(of: dependent.payload) {
          model.jobs[index].input = payload
        }
      }
    }
    return (told, isWanted)
  }

  package mutating func tick(now: ContinuousClock.Instant) -> Told {
    change(now) { model, told in
      for index in model.places.indices {
        guard let due = model.places[index].due, due <= now else { continue }
        model.places[index].due = nil
        if model.queuedCount(in: StationID.allCases[index]) > 0 {
          model.places[index].limiter?.noteDelayHasPassed(now)
        }
      }
      model.dispatchAll(now, &told)
      while let (owner, deadline) = model.nextOverdue(now) {
        guard let subscriber = model.subscribers.first(where: { $0.owner == owner }) else { break }
        if deadline.endsAtStart, model.hasBegun(subscriber.job) {
          model.update(owner) { $0.deadline = nil }
          continue
        }
        switch owner {
        case .waiter(let waiter): told.overdue.append(Told.Overdue(waiter: waiter, tag: deadline.tag))
        case .job(let dependent):
          model.set(dependent, .deciding)
          told.wakes.append(Told.Wake(payload: dependent, overdue: deadline.tag))
        }
        model.drop(owner, &told)
        model.relevel()
        model.dispatchAll(now, &told)
      }
    }
  }

  package mutating func setSuspended(
    _ station: StationID, _ isSuspended: Bool, now: ContinuousClock.Instant
  ) -> Told {
    change(now) { model, _ in model.places[station.index].isSuspended = isSuspended }
  }

  // MARK: Changes

  private mutating func change(
    _ now: ContinuousClock.Instant, _ body: (inout NaiveGraph, inout Told) -> Void
  ) -> Told {
    let wasCalm = isCalm
    let before = runningLevels
    var told = Told()
    body(&self, &told)
    relevel()
    let after = runningLevels
    told.levels = after.filter { payload, level in before[payload].map { $0 != level } ?? false }
    dispatchAll(now, &told)
    told.becameCalm = !wasCalm && isCalm
    return told
  }

  private mutating func set(_ payload: Int, _ state: State) {
    if let index = index(of: payload) { jobs[index].state = state }
  }

  private mutating func update(_ owner: Owner, _ body: (inout Subscriber) -> Void) {
    for index in subscribers.indices where subscribers[index].owner == owner { body(&subscribers[index]) }
  }

  private mutating func place(_ payload: Int, _ placement: Placement) {
    guard let index = index(of: payload) else { return }
    guard case .station(let station, let size) = placement else { return set(payload, .deciding) }
    lastTurn += 1
    jobs[index].state = .queued(station)
    jobs[index].turn = lastTurn
    jobs[index].size = size
    jobs[index].queuedLevel = levels()[payload] ?? .veryLow
  }

  /// A job whose level is another than when it got in line stands behind the others of its new level.
  private mutating func relevel() {
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

  /// Takes a job out of its place; false when nobody wants it.
  private mutating func leave(_ payload: Int, _ now: ContinuousClock.Instant, _ told: inout Told) -> Bool {
    guard let index = index(of: payload) else { return false }
    switch jobs[index].state {
    case .running(let station):
      places[station.index].limiter?.noteCompletion()
      jobs[index].state = .deciding
      return true
    case .abandoned(let station):
      if let station { places[station.index].limiter?.noteCancellation(now) }
      jobs.remove(at: index)
      told.released.append(payload)
      return false
    case .deciding, .queued, .parked: return true
    }
  }

  /// Removes a subscriber, and what nobody wants any more.
  private mutating func drop(_ owner: Owner, _ told: inout Told) {
    guard let place = subscribers.firstIndex(where: { $0.owner == owner }) else { return }
    let payload = subscribers.remove(at: place).job
    guard subscriberCount(of: payload) == 0, let index = index(of: payload) else { return }
    switch jobs[index].state {
    case .deciding:
      jobs[index].state = .abandoned(nil)
      told.cancellations.append(payload)
    case .running(let station):
      jobs[index].state = .abandoned(station)
      told.cancellations.append(payload)
    case .abandoned: break
    case .queued, .parked:
      jobs.remove(at: index)
      told.released.append(payload)
      drop(.job(payload), &told)
    }
  }

  private func nextOverdue(
    _ now: ContinuousClock.Instant
  ) -> (Owner, (instant: ContinuousClock.Instant, tag: Int, endsAtStart: Bool))? {
    var next: (Owner, (instant: ContinuousClock.Instant, tag: Int, endsAtStart: Bool))?
    for subscriber in subscribers {
      guard let deadline = subscriber.deadline, deadline.instant <= now,
        next.map({ deadline.instant < $0.1.instant }) ?? true
      else { continue }
      next = (subscriber.owner, deadline)
    }
    return next
  }

  // MARK: Places

  private mutating func dispatchAll(_ now: ContinuousClock.Instant, _ told: inout Told) {
    for station in StationID.allCases where station.index < places.count {
      dispatch(station, now, &told)
    }
  }

  private mutating func dispatch(_ station: StationID, _ now: ContinuousClock.Instant, _ told: inout Told) {
    let index = station.index
    while true {
      guard queuedCount(in: station) > 0 else {
        places[index].isHolding = false
        places[index].due = nil
        return
      }
      guard runningCount(in: station) < places[index].width, !places[index].isSuspended else { return }
      guard places[index].limiter?.isOpen(now) ?? true else { break }
      let job = next(of: jobs.filter { $0.state == .queued(station) }, in: index)
      if places[index].isHolding { places[index].limiter?.noteLateStart() }
      set(job.payload, .running(station))
      if let index = self.index(of: job.payload) { jobs[index].input = nil }
      told.starts.append(
        Told.Start(payload: job.payload, station: station, input: job.input, continues: false))
    }
    guard places[index].due == nil, let delay = places[index].limiter?.delay else { return }
    places[index].isHolding = true
    places[index].due = now.advanced(by: delay)
  }

  /// The most urgent, of these the oldest; but smaller ones may go before it while it has credit.
  private mutating func next(of waiting: [Job], in place: Int) -> Job {
    func lane(_ job: Job) -> Int {
      job.size <= 64 << 10 ? 0 : job.size <= 512 << 10 ? 1 : job.size <= 4 << 20 ? 2 : 3
    }
    let level = waiting.map(\.queuedLevel).max() ?? .veryLow
    let equals = waiting.filter { $0.queuedLevel == level }.sorted { $0.turn < $1.turn }
    let oldest = equals[0]
    if places[place].overtaken[level.rawValue].turn != oldest.turn {
      places[place].overtaken[level.rawValue] = (oldest.turn, 0)
    }
    let credit = oldest.size - places[place].overtaken[level.rawValue].size
    for smaller in 0..<lane(oldest) {
      guard let head = equals.first(where: { lane($0) == smaller }), head.size <= credit else { continue }
      places[place].overtaken[level.rawValue].size += head.size
      return head
    }
    return oldest
  }
}
