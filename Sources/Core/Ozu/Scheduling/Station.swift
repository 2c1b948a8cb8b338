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

  private init(hash: Int) { self.hash = hash }

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
  package var delay: Duration { .seconds(max(0, 1 - tokens) / rate) }

  /// Called when the timer for `delay` fires. Adds a token even if the clock of a test has not advanced.
  package mutating func noteDelayHasPassed(_ now: JobInstant) {
    refill(now)
    tokens = max(1, tokens)
  }

  private mutating func refill(_ now: JobInstant) {
    if let lastRefill {
      let (seconds, attoseconds) = lastRefill.duration(to: now).components
      let elapsed = Double(seconds) + Double(attoseconds) * 1e-18
      tokens = min(burst, tokens + max(0, elapsed) * rate)
    }
    lastRefill = now
  }
}
