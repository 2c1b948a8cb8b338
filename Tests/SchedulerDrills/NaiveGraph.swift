import Ozu

/// The scheduler once more, written to be plainly right: a list of jobs and a list of those who want them, which are
/// searched from end to end for each question. It forgets no wake-up, because after each change it looks whether anybody
/// anywhere could begin.
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
    var deadline: (instant: JobInstant, tag: Int, endsAtStart: Bool)?
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

  struct Place {
    let width: Int
    /// Places that work has which is no job.
    var lentCount = 0
    let isForeground: Bool
    var limiter: StartLimiter?
    /// Gives out no places while more bytes than these wait in another station.
    let backpressure: (station: StationID, byteCount: Int)?
    var isSuspended = false
    var due: JobInstant?
    var isHolding = false
    /// For each level, the turn of the job that has been overtaken, and by how much.
    var overtaken = ImagePriority.allCases.map { _ in (turn: -1, size: 0) }
  }

  var jobs: [Job] = []
  /// In the order in which they came.
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
