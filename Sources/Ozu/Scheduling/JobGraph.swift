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
package struct JobGraph<Key: Hashable, Payload, Waiter> {
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

  /// Where a job stands. Nothing here is counted, so that to look at it costs nothing; what is, is in `payloads`, `inputs`
  /// and `jobKeys`.
  struct Job {
    let creation: Instant
    /// When it came into its state.
    var since: Instant
    var state = State.deciding
    /// The first and the last of its subscriptions; -1 for none.
    var first = -1
    var last = -1
    /// How many there are of each urgency.
    var counts = SIMD8<Int32>()
    var level = ImagePriority.veryLow

    var subscriberCount: Int { Int(counts.wrappedSum()) }
  }

  struct Subscription {
    /// The job that depends on the other one; -1 when it is a waiter's (`waiters`).
    let dependent: Int
    let job: Int
    var priority: ImagePriority
    var previous = -1
    var next = -1
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
  /// What the jobs are about, what they waited for that is over, until they are told, and their keys; by the same numbers.
  /// In arrays of their own, so that to look at one does not copy the others.
  var payloads: [Payload?] = []
  var inputs: [Payload?] = []
  var jobKeys: [Key?] = []
  /// The places of the jobs in queues, by the same numbers.
  var links: [StationQueue.Link] = []
  var keys: [Key: Int] = [:]
  var subscriptions = SlotMap<Subscription>()
  /// Whose the subscriptions are, by the same numbers; `nil` for those of jobs.
  var waiters: [Waiter?] = []
  var stations: [Station]
  var deadlines = DeadlineHeap()

  package init(stations: [Station]) { self.stations = stations }

  /// Whether nothing that prefetching stands back for waits for a place.
  package var isCalm: Bool {
    for index in stations.indices where stations[index].isForeground {
      if stations[index].queue.urgentCount > 0 { return false }
    }
    return true
  }

  /// When `tick` is next due.
  package var alarm: Instant? {
    var alarm = deadlines.first
    for index in stations.indices {
      if let due = stations[index].limiterDue, alarm.map({ due < $0 }) ?? true { alarm = due }
    }
    return alarm
  }

  /// The job of a key, if there is one.
  package func job(of key: Key) -> SlotID? { keys[key].map(jobs.id(at:)) }

  // MARK: Changes of one job

  mutating func make(_ key: Key?, _ payload: Payload, now: Instant) -> Int {
    let index = jobs.insert(Job(creation: now, since: now)).index
    while links.count <= index {
      links.append(StationQueue.Link())
      payloads.append(nil)
      inputs.append(nil)
      jobKeys.append(nil)
    }
    payloads[index] = payload
    jobKeys[index] = key
    if let key { keys[key] = index }
    return index
  }

  func payload(of job: Int) -> Payload { payloads[job]! }

  /// Takes out a job, which is over.
  mutating func remove(_ job: Int, _ effects: inout Effects) {
    if let payload = clear(job) { effects.released.append(payload) }
    if let input = inputs[job].take() { effects.spent.append(input) }
  }

  /// Takes out a job.
  ///
  /// - Returns: what it was about.
  mutating func clear(_ job: Int) -> Payload? {
    jobs.remove(at: job)
    jobKeys[job] = nil
    return payloads[job].take()
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
      stations[station.index].queue.append(job, priority: jobs[job].level, size: size, in: &links)
    }
  }

  /// From now on the key is free.
  mutating func releaseKey(of job: Int) {
    guard let key = jobKeys[job], let place = keys.index(forKey: key), keys.values[place] == job else {
      return
    }
    keys.remove(at: place)
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
        let size = links[job].size
        stations[station.index].queue.remove(job, in: &links)
        stations[station.index].queue.append(job, priority: level, size: size, in: &links)
        return
      case .parked(let subscription, _):
        let dependency = subscriptions[subscription].job
        jobs[dependency].counts[subscriptions[subscription].priority.rawValue] -= 1
        jobs[dependency].counts[level.rawValue] += 1
        subscriptions[subscription].priority = level
        job = dependency
      case .running: return effects.levels.append((payload(of: job), level))
      case .deciding, .abandoned: return
      }
    }
  }
}

extension JobGraph: Sendable where Key: Sendable, Payload: Sendable, Waiter: Sendable {}
extension JobGraph.Job: Sendable where Key: Sendable, Payload: Sendable, Waiter: Sendable {}
extension JobGraph.Subscription: Sendable where Key: Sendable, Payload: Sendable, Waiter: Sendable {}

/// What an operation of a `JobGraph` asks for. Its owner carries it out when its lock is open, in this order.
package struct JobEffects<Payload, Waiter> {
  package struct Start {
    package let job: SlotID
    package let payload: Payload
    package let station: StationID
    /// The job that it waited for, if it has just done so.
    package let input: Payload?
    /// Whether the thread that has just finished another job goes on with this one.
    package let continues: Bool
    /// How urgent it is now.
    package let level: ImagePriority
  }

  package struct Wake {
    package let job: SlotID
    package let payload: Payload
    /// The job that it waited for and that is over.
    package let input: Payload?
    /// The tag of the deadline that has passed instead.
    package let overdue: Int?
  }

  /// Jobs that have a place now: to be handed to a thread, to the transport, or to a Swift task.
  package var starts = Few<Start>()
  /// Running jobs that nobody wants any more: to be told.
  package var cancellations = Few<Payload>()
  /// Running jobs that are more or less urgent now: to be told.
  package var levels = Few<(payload: Payload, level: ImagePriority)>()
  /// Jobs that waited for another one and decide now how to go on.
  package var wakes = Few<Wake>()
  /// Those who waited for the job that is finished.
  package var answers = Few<Waiter>()
  /// Those whose deadlines have passed, with the tags, and where the work for them has come to. They are no subscribers
  /// any more.
  package var overdue = Few<(waiter: Waiter, tag: Int, standing: JobStanding<Payload>)>()
  /// Whether the last one that prefetching stands back for has left the queues.
  package var becameCalm = false
  /// Those who gave up waiting: released outside of the lock.
  package var left = Few<Waiter>()
  /// What the graph has let go, but for a job that its owner has finished and still has: released outside of the lock,
  /// because it may hold what is the app's.
  package var released = Few<Payload>()
  /// What jobs that are let go had waited for: over long ago, and released outside of the lock for the same reason.
  var spent = Few<Payload>()

  package init() {}

  /// Whether nothing is to be done.
  var isEmpty: Bool {
    starts.isEmpty && cancellations.isEmpty && levels.isEmpty && wakes.isEmpty && answers.isEmpty
      && overdue.isEmpty
      && !becameCalm && left.isEmpty && released.isEmpty && spent.isEmpty
  }

  /// Lets go of everything. One by one: a value is let go of as a whole by what the run time knows of its type, which takes
  /// ten times as long.
  mutating func clear() {
    (starts, cancellations, levels, wakes) = (Few(), Few(), Few(), Few())
    (answers, overdue, becameCalm) = (Few(), Few(), false)
    (left, released, spent) = (Few(), Few(), Few())
  }
}

/// Where a job has come to: the job that it waits for in the end, or itself.
package struct JobStanding<Payload> {
  package let payload: Payload
  /// The station that it is in.
  package let station: StationID?
  /// Whether it has a place there.
  package let isRunning: Bool
}

extension JobStanding: Sendable where Payload: Sendable {}
extension JobEffects: Sendable where Payload: Sendable, Waiter: Sendable {}
extension JobEffects.Start: Sendable where Payload: Sendable, Waiter: Sendable {}
extension JobEffects.Wake: Sendable where Payload: Sendable, Waiter: Sendable {}
