import Ozu

/// A second implementation of the scheduler that is obviously correct: a list of jobs and a list of subscribers,
/// which are searched completely for each question. It cannot forget a wake-up, because after each change it checks
/// whether any job could start.
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
    /// The payload of the job.
    let job: Int
    var priority = ImagePriority.veryLow
    var deadline: (instant: JobInstant, endsAtStart: Bool)?
  }

  struct Job {
    let key: Int?
    let payload: Int
    var state = State.deciding
    /// The sequence number of its last entry into a queue.
    var turn = 0
    var size = 0
    /// The finished job that it waited for, until it is started or woken.
    var input: Int?
    var queuedLevel = ImagePriority.veryLow
    /// The origin of its place in a station, or in its queue.
    var origin = JobOrigin.none
    /// The jobs whose owners wait for this one in the middle of their work, by the waiters.
    var nesters: [Int: Int] = [:]
  }

  struct Station {
    let width: Int
    /// Nil if origins are not told apart.
    let originWidth: Int?
    let reservedCount: Int
    let freesAbandoned: Bool
    /// The number of lent places.
    var lentCount = 0
    let isForeground: Bool
    var limiter: StartLimiter?
    /// No job starts while more than this number of bytes waits in another station.
    let backpressure: (station: StationID, byteCount: Int)?
    var isSuspended = false
    var due: JobInstant?
    var isHolding = false
    /// For each origin and level, the job that was last overtaken, and by how many bytes.
    var overtaken: [JobOrigin: [ImagePriority: (turn: Int, size: Int)]] = [:]

    /// The places that a job of a priority may have together with those that run, where there are `width`.
    func limit(_ width: Int, _ level: ImagePriority) -> Int {
      level >= .normal ? width : max(1, width - reservedCount)
    }
  }

  var jobs: [Job] = []
  /// In the order of their subscription.
  var subscribers: [Subscriber] = []
  var stations: [Station]
  var lastTurn = 0

  package typealias Backpressure = (station: StationID, byteCount: Int)

  init(stations: [Station]) { self.stations = stations }

  // MARK: Questions

  func index(of payload: Int) -> Int? { jobs.firstIndex { $0.payload == payload } }

  func index(ofKey key: Int?) -> Int? {
    guard let key else { return nil }
    return jobs.firstIndex {
      if case .abandoned = $0.state { false } else { $0.key == key }
    }
  }

  /// The priority of each job, by its payload: that of its most urgent subscriber, directly or through other jobs.
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

  func subscriberCount(of job: Int) -> Int { subscribers.count { $0.job == job } }

  func runningCount(in station: StationID) -> Int {
    jobs.count { $0.state == .running(station) || $0.state == .abandoned(station) }
      + stations[station.index].lentCount - abandonedCount(in: station)
  }

  /// The number of abandoned jobs without a place.
  func abandonedCount(in station: StationID) -> Int {
    stations[station.index].freesAbandoned ? jobs.count { $0.state == .abandoned(station) } : 0
  }

  /// Whether the origin of a waiting job has a place for it.
  func isReady(_ job: Job) -> Bool {
    guard case .queued(let station) = job.state, let width = stations[station.index].originWidth,
      job.origin != .none
    else { return true }
    let freesAbandoned = stations[station.index].freesAbandoned
    let running = jobs.count { other in
      let isRunning =
        other.state == .running(station) || (other.state == .abandoned(station) && !freesAbandoned)
      return isRunning && other.origin == job.origin
    }
    return running < stations[station.index].limit(width, job.queuedLevel)
  }

  /// The jobs that wait for a station and could start if it had a place: the most urgent ones of each origin that has
  /// a place.
  func ready(for station: StationID) -> [Job] {
    let waiting = jobs.filter { $0.state == .queued(station) }
    let hasOrigins = stations[station.index].originWidth != nil
    let queues = Dictionary(grouping: waiting) { hasOrigins ? $0.origin : .none }
    return queues.values.flatMap { queue -> [Job] in
      let level = queue.map(\.queuedLevel).max()
      let urgent = queue.filter { $0.queuedLevel == level }
      return isReady(urgent[0]) ? urgent : []
    }
  }

  /// Whether two jobs share a queue.
  func isSame(_ a: Job, _ b: Job, _ station: StationID) -> Bool {
    stations[station.index].originWidth == nil || a.origin == b.origin
  }

  func standsBack(_ station: StationID) -> Bool {
    guard let rule = stations[station.index].backpressure else { return false }
    return jobs.reduce(0) { $1.state == .queued(rule.station) ? $0 + $1.size : $0 } > rule.byteCount
  }

  func queuedCount(in station: StationID) -> Int { jobs.count { $0.state == .queued(station) } }

  var isIdle: Bool {
    !StationID.allCases.contains { station in
      stations[station.index].isForeground && ready(for: station).contains { $0.queuedLevel >= .normal }
    }
  }

  /// Whether a job waits for another one, itself or by its owner, or is that one.
  func isWaiting(_ payload: Int, for other: Int) -> Bool {
    guard payload != other else { return true }
    guard let index = index(of: payload) else { return false }
    if case .parked(let next, _) = jobs[index].state, isWaiting(next, for: other) { return true }
    return jobs.contains { $0.nesters.values.contains(payload) && isWaiting($0.payload, for: other) }
  }

  func hasBegun(_ payload: Int) -> Bool {
    guard let index = index(of: payload) else { return true }
    switch jobs[index].state {
    case .parked(let other, _): return hasBegun(other)
    case .queued: return false
    default: return true
    }
  }
}
