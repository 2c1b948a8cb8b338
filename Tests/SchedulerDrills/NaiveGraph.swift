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
    var deadline: (instant: JobInstant, tag: Int, endsAtStart: Bool)?
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
  }

  struct Place {
    let width: Int
    /// The number of lent places.
    var lentCount = 0
    let isForeground: Bool
    var limiter: StartLimiter?
    /// No job starts while more than this number of bytes waits in another station.
    let backpressure: (station: StationID, byteCount: Int)?
    var isSuspended = false
    var due: JobInstant?
    var isHolding = false
    /// For each level, the job that was last overtaken, and by how many bytes.
    var overtaken = ImagePriority.allCases.map { _ in (turn: -1, size: 0) }
  }

  var jobs: [Job] = []
  /// In the order of their subscription.
  var subscribers: [Subscriber] = []
  var places: [Place]
  var lastTurn = 0

  package typealias Backpressure = (station: StationID, byteCount: Int)

  package init(
    stations: [(width: Int, isForeground: Bool, limiter: StartLimiter?, backpressure: Backpressure?)]
  ) {
    places = stations.map {
      Place(
        width: $0.width, isForeground: $0.isForeground, limiter: $0.limiter, backpressure: $0.backpressure)
    }
  }

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

  var runningLevels: [Int: ImagePriority] {
    let levels = levels()
    return jobs.reduce(into: [:]) { result, job in
      if case .running = job.state { result[job.payload] = levels[job.payload] ?? .veryLow }
    }
  }

  func subscriberCount(of job: Int) -> Int { subscribers.count { $0.job == job } }

  func runningCount(in station: StationID) -> Int {
    jobs.count { $0.state == .running(station) || $0.state == .abandoned(station) }
      + places[station.index].lentCount
  }

  func standsBack(_ station: StationID) -> Bool {
    guard let rule = places[station.index].backpressure else { return false }
    return jobs.reduce(0) { $1.state == .queued(rule.station) ? $0 + $1.size : $0 } > rule.byteCount
  }

  func queuedCount(in station: StationID) -> Int { jobs.count { $0.state == .queued(station) } }

  var isIdle: Bool {
    !jobs.contains { job in
      guard case .queued(let station) = job.state else { return false }
      return places[station.index].isForeground && job.queuedLevel >= .normal
    }
  }

  func isWaiting(_ payload: Int, for other: Int) -> Bool {
    var payload = payload
    while payload != other {
      guard let index = index(of: payload), case .parked(let next, _) = jobs[index].state else {
        return false
      }
      payload = next
    }
    return true
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
