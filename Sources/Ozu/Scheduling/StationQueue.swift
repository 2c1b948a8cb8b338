/// The jobs that wait for a place in one station: the most urgent first, of equally urgent ones the oldest. A job whose
/// urgency changes while it waits stands behind those of its new level.
///
/// Jobs may have a size. Then a large one lets smaller ones that came later go first, but no more of them than it has
/// size itself: a small picture does not wait for a few huge ones, and a huge one waits for no more bytes than it would
/// have made others wait. For that each level has a lane for each class of size, first in, first out. The oldest job of
/// a level is its turn by right; the head of a lane of smaller jobs may go before it while it has credit, which is
/// its own size and is spent on those that overtake it. So nothing starves, jobs of one class keep their order, and jobs
/// without sizes are a plain queue.
///
/// Lanes are lists through the map that the jobs are in: to add, to move and to remove touches two neighbours, and
/// nothing stale stays behind.
///
/// - Complexity: O(1) for everything but `position(of:in:)`; the levels and lanes are few and fixed.
struct StationQueue: Sendable {
  /// Where a job stands in the queue it is in. A job is in one at most.
  struct Place {
    /// Grows with each entry into a queue: tells which of two is older.
    fileprivate var turn = 0
    fileprivate(set) var size = 0
    fileprivate(set) var priority = ImagePriority.veryLow
    fileprivate var lane: Int { priority.rawValue * SizeLane.count + SizeLane.number(of: size) }
  }

  private struct Level {
    var count = 0
    /// The turn of the job that has been overtaken, and by how much.
    var overtaken = (turn: -1, size: 0)
  }

  private var levels = ImagePriority.allCases.map { _ in Level() }
  /// Those of the first level before those of the second.
  private var lanes = ImagePriority.allCases.flatMap { _ in (0..<SizeLane.count).map { _ in SlotList() } }
  private var lastTurn = 0

  /// The number of jobs.
  private(set) var count = 0
  /// The sum of their sizes.
  private(set) var byteCount = 0

  /// Adds a job, which is in no queue.
  mutating func append<Job: Queued>(
    _ job: Int, priority: ImagePriority, size: Int, in jobs: inout SlotMap<Job>
  ) {
    lastTurn += 1
    let place = Place(turn: lastTurn, size: size, priority: priority)
    jobs[job].place = place
    lanes[place.lane].append(job, in: &jobs)
    levels[priority.rawValue].count += 1
    count += 1
    byteCount += size
  }

  /// Takes a job out.
  mutating func remove<Job: Queued>(_ job: Int, in jobs: inout SlotMap<Job>) {
    let place = jobs[job].place
    lanes[place.lane].remove(job, in: &jobs)
    levels[place.priority.rawValue].count -= 1
    count -= 1
    byteCount -= place.size
  }

  /// The job whose turn it is, which is to be taken out then.
  mutating func next<Job: Queued>(in jobs: borrowing SlotMap<Job>) -> Int? {
    guard let level = levels.indices.last(where: { levels[$0].count > 0 }) else { return nil }
    let lanes = level * SizeLane.count..<(level + 1) * SizeLane.count
    var (oldest, oldestLane) = (-1, 0)
    for lane in lanes {
      let job = self.lanes[lane].first
      if job >= 0, oldest < 0 || jobs[job].place.turn < jobs[oldest].place.turn {
        (oldest, oldestLane) = (job, lane)
      }
    }
    let turn = jobs[oldest].place.turn
    if levels[level].overtaken.turn != turn { levels[level].overtaken = (turn, 0) }
    let credit = jobs[oldest].place.size - levels[level].overtaken.size
    for lane in lanes.lowerBound..<oldestLane {
      let job = self.lanes[lane].first
      guard job >= 0, jobs[job].place.size <= credit else { continue }
      levels[level].overtaken.size += jobs[job].place.size
      return job
    }
    return oldest
  }

  /// How many jobs are more urgent, or as urgent and older.
  ///
  /// - Complexity: O(count).
  func position<Job: Queued>(of job: Int, in jobs: borrowing SlotMap<Job>) -> Int {
    let place = jobs[job].place
    let level = place.priority.rawValue
    var position = levels[(level + 1)...].reduce(0) { $0 + $1.count }
    for lane in level * SizeLane.count..<(level + 1) * SizeLane.count {
      var other = lanes[lane].first
      while other >= 0, jobs[other].place.turn < place.turn {
        position += 1
        other = jobs.next(after: other)
      }
    }
    return position
  }
}

/// An element of a `SlotMap` that may stand in a `StationQueue`.
protocol Queued {
  var place: StationQueue.Place { get set }
}

/// The classes of size that have lanes of their own: one for each factor of eight above 64 KB.
enum SizeLane {
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
