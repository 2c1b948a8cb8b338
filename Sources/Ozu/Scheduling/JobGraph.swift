/// The scheduler as a value: the jobs, their order, and their subscribers.
///
/// Every piece of shared work is a job. A job has a key, subscribers, and the priority of its most urgent subscriber.
/// It waits in the queue of a station, has a place there, or waits for another job. A job that waits for another one
/// is a subscriber of it, so priority is inherited along the chain. A job takes a thread or a Swift task only when
/// its station has a place for it.
///
/// The graph has no lock, no thread and no clock, and makes no calls to other objects. Each operation changes the
/// graph and records in `JobEffects` the work that its owner must do after it has released its lock. Every operation
/// that can free a place ends in `dispatch`, so no caller can forget a wake-up. The states of a job:
///
/// - `deciding`: the job is between two stations. Its owner says where it goes (`move`, `depend`) or that it is over
///   (`finish`).
/// - `queued`: waits for a place.
/// - `running`: the job has a place. Its owner gives the place back with one of the same three calls.
/// - `parked`: the job waits for another job, and then goes to the place named in `depend`.
/// - `abandoned`: the job has no subscriber any more. Its key is free, so a new request for the key makes a new job.
///   Its place is not free yet: the owner gives it back with its next call, and learns from the result that the job
///   is over.
///
/// - Complexity: O(1) for each operation, times the length of the chain of jobs that wait for each other (at most a
///   few); O(subscribers) to finish; O(log deadlines) to set or remove a deadline.
package struct JobGraph<Key: Hashable, Payload, Waiter>: ~Copyable {
  package typealias Instant = JobInstant
  package typealias Effects = JobEffects<Payload, Waiter>

  /// Where a job goes next.
  package enum Placement: Hashable {
    /// Into the queue of a station, with a size in bytes. Work of size 0 is never overtaken by work of equal priority.
    case station(StationID, size: Int)
    /// Into no queue yet: its owner decides.
    case nowhere
  }

  package enum State: Hashable {
    case deciding
    case queued(StationID)
    case running(StationID)
    /// With the index of its subscription to the other job.
    case parked(Int, then: Placement)
    /// With the station in which it has a place, if any.
    case abandoned(StationID?)
  }

  struct Job: Queued {
    /// `nil` if the job is not shared, or is no longer shared.
    var key: Key?
    var hash = 0
    /// The next job in the same bucket of the table of keys; -1 for none.
    var nextOfBucket = -1
    let payload: Payload
    /// The finished job that this one waited for, until the job is started or woken with it.
    var input: Payload?
    let creation: Instant
    /// When the job entered its state.
    var since: Instant
    var state = State.deciding
    var subscriptions = SlotList()
    /// The number of subscriptions at each priority.
    var counts = SIMD8<Int32>()
    var level = ImagePriority.veryLow
    var place = StationQueue.Place()

    var subscriberCount: Int { Int(counts.wrappedSum()) }
  }

  struct Subscription {
    let job: Int
    /// `nil` if the subscriber is a job (`dependent`).
    let waiter: Waiter?
    let dependent: Int
    var priority: ImagePriority
    var deadline: Deadline?
  }

  /// A tag that the subscriber receives when the deadline passes, and whether the deadline ends when the work begins.
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
  /// The number of queued jobs that make prefetching wait.
  private var urgentCount = 0
  /// The number of stations that wait for their limiters.
  private var dueCount = 0

  package init(stations: [Station]) {
    for station in stations { _ = self.stations.insert(station) }
    for (index, station) in stations.enumerated() {
      guard let other = station.backpressure?.station else { continue }
      precondition(
        stations[other.index].backpressure == nil && self.stations[other.index].dependentStation == nil,
        "a station with backpressure must wait for a station without it")
      self.stations[other.index].dependentStation = StationID(index: index)
    }
  }

  /// Whether no job that makes prefetching wait is in a queue.
  package var isIdle: Bool { urgentCount == 0 }

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

  /// Removes a job that is over.
  mutating func remove(_ index: Int, _ effects: inout Effects) {
    let job = jobs.remove(at: index)
    effects.released.append(job.payload)
    if let input = job.input { effects.spent.append(input) }
  }

  mutating func enter(_ job: Int, _ state: State, now: Instant) {
    jobs[job].state = state
    jobs[job].since = now
  }

  /// Puts a job that is in no station into its next state. The caller dispatches.
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

  /// Removes a job from the queue in which it waits.
  mutating func dequeue(_ job: Int, from station: StationID) {
    if stations[station.index].isForeground, jobs[job].place.priority >= .normal { urgentCount -= 1 }
    stations[station.index].queue.remove(job, in: &jobs)
  }

  /// Recomputes the priority of a job from its subscribers, and then that of the jobs it waits for.
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
