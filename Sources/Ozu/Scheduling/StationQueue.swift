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
/// Lanes are doubly linked lists whose links are in an array beside the jobs, by their numbers: to add, to move and
/// to remove touches two neighbours, and nothing stale stays behind.
///
/// - Complexity: O(1) for everything but `position(of:in:)`; the levels and lanes are few and fixed.
struct StationQueue {
  /// Where a job stands in the queue it is in. A job is in one at most.
  struct Link {
    fileprivate var previous = -1
    fileprivate var next = -1
    /// Grows with each entry into a queue: tells which of two is older.
    fileprivate var turn = 0
    fileprivate(set) var size = 0
    fileprivate(set) var level = 0
  }

  private struct Lane {
    var first = -1
    var last = -1
  }

  private struct Level {
    var lanes = (Lane(), Lane(), Lane(), Lane())
    var count = 0
    /// The turn of the job that has been overtaken, and by how much.
    var overtaken = (turn: -1, size: 0)

    subscript(lane: Int) -> Lane {
      get {
        switch lane {
        case 0: lanes.0
        case 1: lanes.1
        case 2: lanes.2
        default: lanes.3
        }
      }
      set {
        switch lane {
        case 0: lanes.0 = newValue
        case 1: lanes.1 = newValue
        case 2: lanes.2 = newValue
        default: lanes.3 = newValue
        }
      }
    }
  }

  private var levels = ImagePriority.allCases.map { _ in Level() }
  private var lastTurn = 0
  private static let urgent = ImagePriority.normal.rawValue

  /// The number of jobs.
  private(set) var count = 0
  /// The number of those of normal urgency or more.
  private(set) var urgentCount = 0

  /// Adds a job, which is in no queue.
  mutating func append(_ job: Int, priority: ImagePriority, size: Int, in links: inout [Link]) {
    lastTurn += 1
    let (level, lane) = (priority.rawValue, SizeLane.number(of: size))
    let last = levels[level][lane].last
    links[job] = Link(previous: last, next: -1, turn: lastTurn, size: size, level: level)
    if last < 0 { levels[level][lane].first = job } else { links[last].next = job }
    levels[level][lane].last = job
    levels[level].count += 1
    count += 1
    if level >= Self.urgent { urgentCount += 1 }
  }

  /// Takes a job out.
  mutating func remove(_ job: Int, in links: inout [Link]) {
    let link = links[job]
    let lane = SizeLane.number(of: link.size)
    if link.previous < 0 {
      levels[link.level][lane].first = link.next
    } else {
      links[link.previous].next = link.next
    }
    if link.next < 0 {
      levels[link.level][lane].last = link.previous
    } else {
      links[link.next].previous = link.previous
    }
    levels[link.level].count -= 1
    count -= 1
    if link.level >= Self.urgent { urgentCount -= 1 }
  }

  /// Takes out the job whose turn it is.
  mutating func popFirst(in links: inout [Link]) -> Int? {
    guard let level = levels.indices.last(where: { levels[$0].count > 0 }) else { return nil }
    let job = next(in: level, links)
    remove(job, in: &links)
    return job
  }

  /// The job that goes next in a level that has any.
  private mutating func next(in level: Int, _ links: [Link]) -> Int {
    var (oldest, oldestLane) = (-1, 0)
    for lane in 0..<SizeLane.count {
      let job = levels[level][lane].first
      if job >= 0, oldest < 0 || links[job].turn < links[oldest].turn { (oldest, oldestLane) = (job, lane) }
    }
    let turn = links[oldest].turn
    if levels[level].overtaken.turn != turn { levels[level].overtaken = (turn, 0) }
    let credit = links[oldest].size - levels[level].overtaken.size
    for lane in 0..<oldestLane {
      let job = levels[level][lane].first
      guard job >= 0, links[job].size <= credit else { continue }
      levels[level].overtaken.size += links[job].size
      return job
    }
    return oldest
  }

  /// How many jobs are more urgent, or as urgent and older.
  ///
  /// - Complexity: O(count).
  func position(of job: Int, in links: [Link]) -> Int {
    let link = links[job]
    var position = 0
    for level in levels.indices where level >= link.level {
      if level > link.level {
        position += levels[level].count
        continue
      }
      for lane in 0..<SizeLane.count {
        var other = levels[level][lane].first
        while other >= 0, links[other].turn < link.turn {
          position += 1
          other = links[other].next
        }
      }
    }
    return position
  }
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
