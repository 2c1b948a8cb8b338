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
