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
    /// If the station tells origins apart, the job needs a place of its origin too.
    case station(StationID, size: Int, origin: JobOrigin = .none)
    /// Into no queue yet: its owner decides.
    case nowhere
  }

  package enum State: Hashable {
    case deciding
    case queued(StationID)
    case running(StationID)
    /// With the index of its subscription to the other job.
    case parked(Int, then: Placement)
    /// With the station in which it has a place, or had one (`Station.freesAbandoned`).
    case abandoned(StationID?)
  }

  struct Job: Queued {
    /// `nil` if the job is not shared, or is no longer shared.
    var key: Key?
    var hash = 0
    /// The next job in the same bucket of the table of keys; -1 for none.
    var nextOfBucket = -1
    let payload: Payload
    /// The finished job that this one waited for, until the job is started with it.
    var input: Payload?
    let creation: Instant
    /// When the job entered its state.
    var since: Instant
    var state = State.deciding
    var subscriptions = SlotList()
    /// The number of subscriptions at each priority.
    var counts = SIMD8<Int32>()
    var level = ImagePriority.veryLow
    var position = StationQueue.Position()
    /// The index of its origin in the station where it is queued or running, if that tells origins apart; otherwise -1.
    var origin = -1

    var subscriberCount: Int { Int(counts.wrappedSum()) }
  }

  struct Subscription {
    let job: Int
    /// `nil` if the subscriber is a job (`dependent`).
    let waiter: Waiter?
    let dependent: Int
    /// The job whose owner waits here in the middle of its work, if any.
    let nester: SlotID?
    var priority: ImagePriority
    var deadline: JobDeadline?
  }

  var jobs = SlotMap<Job>()
  var subscriptions = SlotMap<Subscription>()
  var keys = JobBuckets()
  var stations = SlotMap<Station>()
  var origins = SlotMap<OriginQueue>()
  /// The indices of the origins of each station.
  var originIndices: [OriginPlace: Int] = [:]
  /// The origin that was the last to lose its only job; -1 for none. It is kept, because the next job is often of the same one: to
  /// make and drop it cost 2 allocations and 8 % of the instructions of a start and its cancellation.
  var idleOrigin = -1
  var deadlines = SlotHeap<Instant>()
  /// The number of queued jobs that make prefetching wait; of the jobs of one origin only the next one counts, and
  /// only if the origin has a place for it.
  var urgentCount = 0
  /// The number of subscriptions with a nester.
  var nestedCount = 0
  var lastTurn = 0
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

  /// Whether no job that makes prefetching wait is in a queue. Jobs that wait only for a place of their own origin do
  /// not count: jobs of other origins take nothing from them.
  package var isIdle: Bool { urgentCount == 0 }

  /// When `tick` is next due.
  package var alarm: Instant? {
    var alarm = deadlines.first?.rank
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
    case .station(let station, let size, let origin):
      enter(job, .queued(station), now: now)
      join(origin, job, in: station)
      enqueue(job, in: station, size: size)
    }
  }

  /// Recomputes the priority of a job from its subscribers, and then that of the jobs it waits for. A queued job may
  /// start at its new priority.
  mutating func updateLevel(of job: Int, now: Instant, _ effects: inout Effects) {
    var job = job
    while true {
      var highest = ImagePriority.veryHigh.rawValue
      while highest > 0, jobs[job].counts[highest] == 0 { highest -= 1 }
      let level = ImagePriority(rawValue: highest) ?? .veryLow
      guard jobs[job].level != level else { return }
      jobs[job].level = level
      switch jobs[job].state {
      case .queued(let station):
        let size = jobs[job].position.size
        dequeue(job, from: station)
        enqueue(job, in: station, size: size)
        return dispatch(station, now: now, &effects)
      case .parked(let subscription, _):
        let dependency = subscriptions[subscription].job
        setPriority(at: subscription, to: level)
        job = dependency
      case .deciding, .running, .abandoned: return
      }
    }
  }
}

/// The first job in each bucket of the table of keys; -1 for none. The number of buckets is a power of two.
struct JobBuckets: Sendable {
  fileprivate var firsts = [-1]
  fileprivate(set) var count = 0
}

/// Jobs by their keys: a hash table whose chains go through the jobs themselves. The keys of pictures store their
/// hash, so it is not computed again (`hashValue`).
///
/// - Complexity: O(1), amortised for insertion.
extension JobGraph {
  /// The job of a key; nil if there is none.
  package func job(of key: Key) -> SlotID? { index(of: key).map { jobs.id(at: $0) } }

  /// - Parameter key: `nil` for work that is not shared.
  func index(of key: Key?) -> Int? {
    guard let key else { return nil }
    let hash = key.hashValue
    var job = keys.firsts[hash & (keys.firsts.count - 1)]
    while job >= 0, jobs[job].hash != hash || jobs[job].key != key { job = jobs[job].nextOfBucket }
    return job < 0 ? nil : job
  }

  /// Adds a job to the table under its key. No other job may have that key.
  mutating func list(_ job: Int, under key: Key) {
    if keys.count == keys.firsts.count { doubleBuckets() }
    keys.count += 1
    jobs[job].hash = key.hashValue
    chain(job)
  }

  /// Removes a job from the table, so that its key is free.
  mutating func releaseKey(of job: Int) {
    guard jobs[job].key.take() != nil else { return }
    let (bucket, next) = (bucket(of: job), jobs[job].nextOfBucket)
    keys.count -= 1
    var other = keys.firsts[bucket]
    if other == job { return keys.firsts[bucket] = next }
    while jobs[other].nextOfBucket != job { other = jobs[other].nextOfBucket }
    jobs[other].nextOfBucket = next
  }

  private func bucket(of job: Int) -> Int { jobs[job].hash & (keys.firsts.count - 1) }

  private mutating func chain(_ job: Int) {
    let bucket = bucket(of: job)
    jobs[job].nextOfBucket = keys.firsts[bucket]
    keys.firsts[bucket] = job
  }

  private mutating func doubleBuckets() {
    let former = keys.firsts
    keys.firsts = Array(repeating: -1, count: 2 * former.count)
    for first in former {
      var job = first
      while job >= 0 {
        let next = jobs[job].nextOfBucket
        chain(job)
        job = next
      }
    }
  }
}

extension JobGraph: Sendable where Key: Sendable, Payload: Sendable, Waiter: Sendable {}
extension JobGraph.Job: Sendable where Key: Sendable, Payload: Sendable, Waiter: Sendable {}
extension JobGraph.Subscription: Sendable where Key: Sendable, Payload: Sendable, Waiter: Sendable {}

/// The instant at which a subscriber stops waiting.
package struct JobDeadline: Sendable {
  package let instant: JobInstant
  /// Whether the deadline ends when the work begins.
  let endsAtStart: Bool

  package init(instant: JobInstant, endsAtStart: Bool = false) {
    (self.instant, self.endsAtStart) = (instant, endsAtStart)
  }
}

/// An instant, in nanoseconds since the first one that the process has read.
///
/// The layout of `ContinuousClock.Instant` is known at run time only, which makes every type slow that contains one.
/// Tasks and loads use this type too.
package struct JobInstant: Comparable, Hashable, Sendable {
  private let nanoseconds: Int64

  private static let origin = ContinuousClock.now

  package init(_ instant: ContinuousClock.Instant) {
    nanoseconds = Self.origin.duration(to: instant).nanoseconds
  }

  private init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  package static func < (a: JobInstant, b: JobInstant) -> Bool { a.nanoseconds < b.nanoseconds }

  package func advanced(by duration: Duration) -> JobInstant {
    let (sum, isOver) = nanoseconds.addingReportingOverflow(duration.nanoseconds)
    return JobInstant(nanoseconds: isOver ? .max : sum)
  }

  package func duration(to other: JobInstant) -> Duration {
    let (difference, isOver) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
    return .nanoseconds(isOver ? (other > self ? .max : .min) : difference)
  }

  /// The same in seconds. Quicker: a `Duration` counts in 128 bits.
  func seconds(to other: JobInstant) -> Double { (Double(other.nanoseconds) - Double(nanoseconds)) * 1e-9 }
}

extension Duration {
  /// Rounded towards zero, and limited to ±292 years.
  fileprivate var nanoseconds: Int64 {
    Int64(clamping: attoseconds / 1_000_000_000)
  }
}
