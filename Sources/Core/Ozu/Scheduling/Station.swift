import OzuBase

/// The identifier of a station: a resource that runs a limited number of jobs at once.
package struct StationID: Hashable, Sendable, CaseIterable {
  package let index: Int

  /// Reads of the disk, and of files.
  package static let disk = StationID(index: 0)
  /// Downloads, and the app's own fetchers.
  package static let network = StationID(index: 1)
  /// Decoding, resizing and processors.
  package static let decode = StationID(index: 2)
  /// Encoding for the disk.
  package static let encode = StationID(index: 3)
  /// Writes to the disk.
  package static let store = StationID(index: 4)

  /// Reads of the storage levels below the first one. They may be slow.
  package static let levels = StationID(index: 5)

  /// Reads of whole files: local ones, and originals of the disk cache. Separate from `disk` because the bytes wait
  /// in memory for a decoder (`Station.Backpressure`).
  package static let files = StationID(index: 6)

  package static let allCases: [StationID] = [.disk, .network, .decode, .encode, .store, .levels, .files]
}

/// A resource with a number of places, a queue of the jobs that wait for one, and possibly a limiter.
///
/// A station may tell origins apart. Each origin then has a queue and a width of its own, so that jobs of an origin
/// that does not answer hold its own places and nobody else's. The next job is the most urgent, oldest one of the
/// origins that have a free place.
package struct Station {
  /// The number of places.
  package let width: Int
  /// The number of places that one origin may have at once; nil if origins are not told apart.
  package let originWidth: Int?
  /// The number of places that jobs below `normal` leave free for others, in the station and in each origin. They
  /// always have one place.
  let reservedCount: Int
  /// Whether a running job gives its place back when it loses its last subscriber, and not when its owner returns: for
  /// owners that hold no thread, and may ignore the cancellation.
  let freesAbandoned: Bool
  /// Whether prefetching waits for the jobs that are queued here.
  let isForeground: Bool
  /// If set, no job starts while more than this number of bytes waits in another station. That station must not have
  /// backpressure itself.
  package let backpressure: Backpressure?
  /// While true, no job starts.
  package var isSuspended = false
  /// Delays starts in a storm of cancellations.
  var limiter: StartLimiter?
  /// When the limiter allows the next start; nil unless the limiter is the only thing that delays the queue.
  var limiterDue: JobInstant?
  /// Whether the limiter has delayed the queue since it was last empty.
  var isHolding = false
  package var runningCount = 0
  /// The number of jobs that gave their places back when they were abandoned, and whose owners have not returned.
  package internal(set) var abandonedCount = 0
  /// The station whose backpressure depends on this one.
  var dependentStation: StationID?
  /// The number of waiting jobs, of all origins.
  package internal(set) var queuedCount = 0
  /// The sum of the sizes of the waiting jobs.
  var queuedByteCount = 0
  /// The waiting jobs, if origins are not told apart.
  var queue = StationQueue()
  /// The origins that have a waiting job and a free place for it.
  var ready = SlotHeap<StationQueue.Rank>()

  /// A bound on the bytes that wait in another station. The station with this rule produces these bytes, and waits.
  package struct Backpressure: Sendable {
    let station: StationID
    let byteCount: Int

    package init(of station: StationID, above byteCount: Int) {
      self.station = station
      self.byteCount = byteCount
    }
  }

  /// - Parameters:
  ///   - width: at least one.
  ///   - originWidth: at least one; with the width of the station or more, origins are not told apart.
  package init(
    width: Int, originWidth: Int? = nil, reservedCount: Int = 0, freesAbandoned: Bool = false,
    isForeground: Bool = false, limiter: StartLimiter? = nil, backpressure: Backpressure? = nil
  ) {
    self.width = max(1, width)
    self.originWidth = originWidth.flatMap { $0 < width ? max(1, $0) : nil }
    self.reservedCount = reservedCount
    self.freesAbandoned = freesAbandoned
    self.isForeground = isForeground
    self.limiter = limiter
    self.backpressure = backpressure
  }

  /// The priority of the job that starts next; nil if none waits, or only those whose origins have no place.
  var readyLevel: ImagePriority? { originWidth == nil ? queue.level : ready.first?.rank.level }

  /// How many jobs may run when another one of a priority wants to start, where there are `width` places.
  func limit(of width: Int, for level: ImagePriority) -> Int {
    level < .normal ? max(1, width - reservedCount) : width
  }

  /// Whether a job of a priority could start now, if the limiter and backpressure allow it.
  func hasPlace(for level: ImagePriority) -> Bool {
    runningCount < limit(of: width, for: level) && !isSuspended
  }

  /// The same, with the limiter.
  mutating func isOpen(for level: ImagePriority, _ now: JobInstant) -> Bool {
    hasPlace(for: level) && limiter?.isOpen(now) ?? true
  }
}

/// The server or the kind of fetcher that a job asks. A station may limit how many jobs of one origin run at once.
///
/// A hash: two origins with the same one share their places, which harms nobody.
package struct JobOrigin: Hashable, Sendable {
  private let hash: Int

  /// The origin of jobs that are not limited.
  package static let none = JobOrigin(hash: 0)

  init(hash: Int) { self.hash = hash }

  package init(hashing identity: some Hashable) { hash = identity.hashValue }
}

/// The jobs of one origin in a station that tells origins apart. It exists while the origin has a job there, and that of one origin
/// for a while after.
struct OriginQueue {
  let station: StationID
  let origin: JobOrigin
  /// The number of jobs that may run at once.
  let width: Int
  var runningCount = 0
  var queue = StationQueue()
  /// Its rank among the origins that have a waiting job and a free place for it; nil if it has none.
  var rank: StationQueue.Rank?
}

/// A token bucket that delays starts during a storm of starts and cancellations.
///
/// A list that scrolls fast starts a download for each row it passes and cancels it a moment later: connections are
/// opened and closed for nothing. Each cancelled download therefore takes a token. While there are tokens, every
/// start is free, and a thousand loads that are not cancelled are never delayed. Without tokens, starts wait in the
/// queue and cost a token each; a start that is cancelled in the queue costs nothing. Tokens come back with time, and
/// one with each completed download, so that starts are fast again as soon as the storm is over.
///
/// A value; the caller passes the time. Its owner has the lock and the timer.
package struct StartLimiter: Sendable {
  /// The number of tokens that come back per second.
  let rate: Double
  /// The largest number of tokens.
  let burst: Double
  private var tokens: Double
  private var lastRefill: JobInstant?

  /// Makes a full bucket: 25 cancellations in a row are free, then 80 starts a second.
  package init(rate: Double = 80, burst: Double = 25) {
    self.rate = rate
    self.burst = burst
    tokens = burst
  }

  /// Whether a job may start without waiting.
  package mutating func isOpen(_ now: JobInstant) -> Bool {
    // Also when the bucket is full: time in which it is full must not add tokens later.
    refill(now)
    return tokens >= 1
  }

  /// Takes a token for a start that had to wait.
  package mutating func noteLateStart() { tokens -= 1 }

  /// Takes a token for a download that was cancelled before its end.
  package mutating func noteCancellation(_ now: JobInstant) {
    refill(now)
    tokens = max(0, tokens - 1)
  }

  /// Adds a token for a completed download.
  package mutating func noteCompletion() { tokens = min(burst, tokens + 1) }

  /// The time until the next token.
  package var delay: Duration { .nanoseconds(Int64(clamping: max(0, 1 - tokens) / rate * 1e9)) }

  /// Called when the timer for `delay` fires. Adds a token even if the clock of a test has not advanced.
  package mutating func noteDelayHasPassed(_ now: JobInstant) {
    refill(now)
    tokens = max(1, tokens)
  }

  private mutating func refill(_ now: JobInstant) {
    if let lastRefill {
      // Threads read the clock before they have the lock, so that an earlier time may come later: no time counts twice.
      guard now > lastRefill else { return }
      tokens = min(burst, tokens + lastRefill.seconds(to: now) * rate)
    }
    lastRefill = now
  }
}

/// The jobs that wait for a place in one station: the most urgent first, and of equal priority the oldest first. A
/// job whose priority changes while it waits goes behind the jobs of its new level.
///
/// Jobs may have a size. A large job then lets smaller jobs that came later start first, but only as many bytes of
/// them as its own size. So a small picture does not wait for a few huge ones, and a huge picture waits for no more
/// bytes than it would have made others wait. For this, each level has a subqueue for each class of size, first in,
/// first out. The next job is by rule the oldest of its level. The head of a subqueue of smaller jobs may start
/// before it while the oldest job has credit: its own size, minus the sizes of the jobs that have overtaken it. So
/// nothing starves, jobs of one class keep their order, and jobs without sizes form a plain queue.
///
/// The subqueues are linked lists through the slot map of the jobs: to add, move or remove a job touches two
/// neighbours, and leaves no stale entries.
///
/// - Complexity: O(1) for everything except `position(of:in:)`; the numbers of levels and subqueues are small and
///   fixed.
struct StationQueue: Sendable {
  /// The position of a job in its queue. A job is in one queue at most.
  struct Position {
    /// A sequence number: the older of two jobs has the smaller one.
    fileprivate(set) var turn = 0
    fileprivate(set) var size = 0
    fileprivate(set) var priority = ImagePriority.veryLow
    fileprivate var subqueue: Int { priority.rawValue * SizeClass.count + SizeClass.number(of: size) }
  }

  /// What is counted of the jobs of one priority.
  private struct LevelCounts {
    var count = 0
    /// The job that was last overtaken, by its `turn`, and how many bytes have overtaken it.
    var overtaken = (turn: -1, size: 0)
  }

  private static let levelCount = ImagePriority.allCases.count
  // Two allocations: the queue of an origin is made for its first job and dropped with its last.
  private var levels = [LevelCounts](repeating: LevelCounts(), count: levelCount)
  /// All subqueues of the first level, then those of the second, and so on.
  private var subqueues = [SlotList](repeating: SlotList(), count: levelCount * SizeClass.count)

  /// The number of jobs.
  private(set) var count = 0

  /// Adds a job that is in no queue.
  ///
  /// - Parameter turn: larger than that of each job before.
  mutating func append<Job: Queued>(
    _ job: Int, priority: ImagePriority, size: Int, turn: Int, in jobs: inout SlotMap<Job>
  ) {
    let position = Position(turn: turn, size: size, priority: priority)
    jobs[job].position = position
    subqueues[position.subqueue].append(job, in: &jobs)
    levels[priority.rawValue].count += 1
    count += 1
  }

  /// Removes a job.
  mutating func remove<Job: Queued>(_ job: Int, in jobs: inout SlotMap<Job>) {
    let position = jobs[job].position
    subqueues[position.subqueue].remove(job, in: &jobs)
    levels[position.priority.rawValue].count -= 1
    count -= 1
  }

  /// The oldest of the most urgent jobs.
  func oldest<Job: Queued>(in jobs: borrowing SlotMap<Job>) -> Rank? {
    guard let level = levels.indices.last(where: { levels[$0].count > 0 }),
      let priority = ImagePriority(rawValue: level)
    else { return nil }
    var turn = Int.max
    for subqueue in level * SizeClass.count..<(level + 1) * SizeClass.count {
      let job = subqueues[subqueue].first
      if job >= 0 { turn = min(turn, jobs[job].position.turn) }
    }
    return Rank(level: priority, turn: turn)
  }

  /// The priority of the most urgent job.
  var level: ImagePriority? {
    levels.indices.last { levels[$0].count > 0 }.flatMap(ImagePriority.init(rawValue:))
  }

  /// The order of queues by their oldest jobs: the more urgent first, and of equal priority the older.
  struct Rank: Comparable, Sendable {
    let level: ImagePriority
    let turn: Int

    static func < (a: Rank, b: Rank) -> Bool { a.level == b.level ? a.turn < b.turn : a.level > b.level }
  }

  /// The job that starts next. The caller removes it.
  mutating func next<Job: Queued>(in jobs: borrowing SlotMap<Job>) -> Int? {
    guard let level = levels.indices.last(where: { levels[$0].count > 0 }) else { return nil }
    let subqueues = level * SizeClass.count..<(level + 1) * SizeClass.count
    var (oldest, oldestSubqueue) = (-1, 0)
    for subqueue in subqueues {
      let job = self.subqueues[subqueue].first
      if job >= 0, oldest < 0 || jobs[job].position.turn < jobs[oldest].position.turn {
        (oldest, oldestSubqueue) = (job, subqueue)
      }
    }
    let turn = jobs[oldest].position.turn
    if levels[level].overtaken.turn != turn { levels[level].overtaken = (turn, 0) }
    let credit = jobs[oldest].position.size - levels[level].overtaken.size
    for subqueue in subqueues.lowerBound..<oldestSubqueue {
      let job = self.subqueues[subqueue].first
      guard job >= 0, jobs[job].position.size <= credit else { continue }
      levels[level].overtaken.size += jobs[job].position.size
      return job
    }
    return oldest
  }

  /// The number of jobs that are more urgent, or equally urgent and older.
  ///
  /// - Complexity: O(count).
  func position<Job: Queued>(of job: Int, in jobs: borrowing SlotMap<Job>) -> Int {
    let own = jobs[job].position
    let level = own.priority.rawValue
    var position = levels[(level + 1)...].reduce(0) { $0 + $1.count }
    for subqueue in level * SizeClass.count..<(level + 1) * SizeClass.count {
      var other = subqueues[subqueue].first
      while other >= 0, jobs[other].position.turn < own.turn {
        position += 1
        other = jobs.next(after: other)
      }
    }
    return position
  }
}

/// An element of a `SlotMap` that can be in a `StationQueue`.
protocol Queued {
  var position: StationQueue.Position { get set }
}

/// The size classes with a subqueue each: one for each factor of eight above 64 KB.
enum SizeClass {
  static let count = 4

  /// The class of a size in bytes.
  static func number(of size: Int) -> Int {
    switch size {
    case ...(64 << 10): 0
    case ...(512 << 10): 1
    case ...(4 << 20): 2
    default: 3
    }
  }
}
