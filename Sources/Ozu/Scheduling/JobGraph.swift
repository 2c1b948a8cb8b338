/// What is to be done, in which order, and who waits for it: the scheduler as a value.
///
/// Every piece of shared work is a job: known by a key, wanted by subscribers, as urgent as the most urgent of them. A
/// job stands in the queue of a station, has a place there, or waits for another job, to which it is subscribed like
/// anybody else; so urgency travels along. It takes a thread or a Swift task only when its station has a place for it.
///
/// The graph has no lock, no thread and no clock, and calls nobody: each operation changes it and says in `JobEffects`
/// what is to be done once its owner's lock is open. Every operation that can free a place ends in `dispatch`, so no
/// caller can forget to wake anybody. What each state allows:
///
/// - `deciding`: between two stations; its owner says where it goes (`move`, `depend`) or that it is over (`finish`).
/// - `queued`: waits for a place.
/// - `running`: has a place, which its owner gives back with the same three.
/// - `parked`: waits for another job, and goes on where it said (`depend`).
/// - `abandoned`: nobody wants it any more. Its key is free, so that a newcomer starts afresh, and its place is not:
///   that comes back when its owner next says anything of it, who is told then that it is over.
///
/// - Complexity: O(1) for everything, times the length of the chain of jobs that wait for each other, which is a few;
///   O(subscribers) to finish; O(log deadlines) to set or drop a deadline.
package struct JobGraph<Key: Hashable, Payload, Waiter>: ~Copyable {
  package typealias Instant = JobInstant
  package typealias Effects = JobEffects<Payload, Waiter>

  /// Where a job goes next.
  package enum Placement: Hashable {
    /// Into the queue of a station, with a size in bytes; 0 for work that keeps its place among the equally urgent.
    case station(StationID, size: Int)
    /// Nowhere yet: its owner decides.
    case nowhere
  }

  package enum State: Hashable {
    case deciding
    case queued(StationID)
    case running(StationID)
    /// By its subscription.
    case parked(Int, then: Placement)
    /// With the station in which it has a place, if any.
    case abandoned(StationID?)
  }

  struct Job: Queued {
    /// `nil` where it is not shared, or not any more.
    var key: Key?
    var hash = 0
    /// The next job of those whose keys have the same place in the table of keys.
    var nextOfBucket = -1
    let payload: Payload
    /// What it waited for that is over, until it is told.
    var input: Payload?
    let creation: Instant
    /// When it came into its state.
    var since: Instant
    var state = State.deciding
    var subscriptions = SlotList()
    /// How many of them there are of each urgency.
    var counts = SIMD8<Int32>()
    var level = ImagePriority.veryLow
    var place = StationQueue.Place()

    var subscriberCount: Int { Int(counts.wrappedSum()) }
  }

  struct Subscription {
    let job: Int
    /// `nil` when it is that of a job which depends on the other one.
    let waiter: Waiter?
    let dependent: Int
    var priority: ImagePriority
    var deadline: Deadline?
  }

  /// What a deadline is of, for who is told, and whether it ends when the work begins.
  package struct Deadline: Hashable {
    package let tag: Int
    var endsAtStart = false

    package init(tag: Int, endsAtStart: Bool = false) {
      self.tag = tag
      self.endsAtStart = endsAtStart
    }
  }

  var jobs = SlotMap<Job>()
  var subscriptions = SlotMap<Subscription>()
  var keys = JobBuckets()
  var stations = SlotMap<Station>()
  var deadlines = DeadlineHeap()
  /// How many wait that prefetching stands back for.
  private var urgentCount = 0
  /// How many stations wait for their limiters.
  private var dueCount = 0

  package init(stations: [Station]) {
    for station in stations { _ = self.stations.insert(station) }
    for (index, station) in stations.enumerated() {
      guard let other = station.backpressure?.station else { continue }
      precondition(
        stations[other.index].backpressure == nil && self.stations[other.index].follower == nil,
        "one station stands back behind one that does not")
      self.stations[other.index].follower = StationID(index: index)
    }
  }

  /// Whether nothing that prefetching stands back for waits for a place.
  package var isCalm: Bool { urgentCount == 0 }

  /// When `tick` is next due.
  package var alarm: Instant? {
    var alarm = deadlines.first
    guard dueCount > 0 else { return alarm }
    for index in 0..<stations.count {
      if let due = stations[index].limiterDue, alarm.map({ due < $0 }) ?? true { alarm = due }
    }
    return alarm
  }

  mutating func setDue(_ station: StationID, _ instant: Instant?) {
    dueCount += (instant == nil ? 0 : 1) - (stations[station.index].limiterDue == nil ? 0 : 1)
    stations[station.index].limiterDue = instant
  }

  // MARK: Changes of one job

  mutating func make(_ key: Key?, _ payload: Payload, now: Instant) -> Int {
    let job = jobs.insert(Job(key: key, payload: payload, creation: now, since: now))
    if let key { list(job, under: key) }
    return job
  }

  /// Takes out a job, which is over.
  mutating func remove(_ index: Int, _ effects: inout Effects) {
    let job = jobs.remove(at: index)
    effects.released.append(job.payload)
    if let input = job.input { effects.spent.append(input) }
  }

  mutating func enter(_ job: Int, _ state: State, now: Instant) {
    jobs[job].state = state
    jobs[job].since = now
  }

  /// Puts a job that is in no station where it goes next. The caller dispatches.
  mutating func place(_ job: Int, _ placement: Placement, now: Instant) {
    switch placement {
    case .nowhere: enter(job, .deciding, now: now)
    case .station(let station, let size):
      enter(job, .queued(station), now: now)
      enqueue(job, in: station, size: size)
    }
  }

  private mutating func enqueue(_ job: Int, in station: StationID, size: Int) {
    let level = jobs[job].level
    stations[station.index].queue.append(job, priority: level, size: size, in: &jobs)
    if stations[station.index].isForeground, level >= .normal { urgentCount += 1 }
  }

  /// Takes a job out of the queue in which it waits.
  mutating func dequeue(_ job: Int, from station: StationID) {
    if stations[station.index].isForeground, jobs[job].place.priority >= .normal { urgentCount -= 1 }
    stations[station.index].queue.remove(job, in: &jobs)
  }

  /// Brings a job, and the jobs that it waits for, in accord with the urgency of its subscribers.
  mutating func updateLevel(of job: Int, _ effects: inout Effects) {
    var job = job
    while true {
      var highest = ImagePriority.veryHigh.rawValue
      while highest > 0, jobs[job].counts[highest] == 0 { highest -= 1 }
      let level = ImagePriority(rawValue: highest) ?? .veryLow
      guard jobs[job].level != level else { return }
      jobs[job].level = level
      switch jobs[job].state {
      case .queued(let station):
        let size = jobs[job].place.size
        dequeue(job, from: station)
        return enqueue(job, in: station, size: size)
      case .parked(let subscription, _):
        let dependency = subscriptions[subscription].job
        setPriority(at: subscription, to: level)
        job = dependency
      case .running: return effects.levels.append((jobs[job].payload, level))
      case .deciding, .abandoned: return
      }
    }
  }
}

extension JobGraph: Sendable where Key: Sendable, Payload: Sendable, Waiter: Sendable {}
extension JobGraph.Job: Sendable where Key: Sendable, Payload: Sendable, Waiter: Sendable {}
extension JobGraph.Subscription: Sendable where Key: Sendable, Payload: Sendable, Waiter: Sendable {}
