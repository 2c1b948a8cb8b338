/// Jobs that wait for a Swift task to begin in: the most urgent first and, of equally urgent ones, the oldest.
///
/// One that is no longer wanted stays behind as a mark that is passed over, and one that becomes more or less urgent
/// takes a second place: so nothing is ever searched.
///
/// - Complexity: amortised O(1) for everything.
struct StartLine<Job> {
  private struct Level {
    var jobs: [Job?] = []
    var head = 0
  }

  // Indexed by the levels of `ImagePriority`.
  private var levels = ImagePriority.allCases.map { _ in Level() }
  /// The number of places taken, marks included.
  private(set) var count = 0

  mutating func append(_ job: Job, level: ImagePriority) {
    levels[level.rawValue].jobs.append(job)
    count += 1
  }

  /// The next job of a level or above, and the level it stood at.
  mutating func popFirst(from lowest: ImagePriority = .veryLow) -> (job: Job, level: ImagePriority)? {
    guard count > 0 else { return nil }
    for level in ImagePriority.allCases[lowest.rawValue...].reversed() {
      if let job = pop(level.rawValue) { return (job, level) }
    }
    return nil
  }

  /// Takes out the last job of a level, if it is the one that is meant.
  mutating func removeLast(level: ImagePriority, where isMeant: (Job) -> Bool) {
    let index = level.rawValue
    guard levels[index].head < levels[index].jobs.count, let last = levels[index].jobs.last ?? nil,
      isMeant(last)
    else { return }
    levels[index].jobs.removeLast()
    count -= 1
    startAfreshIfEmpty(index)
  }

  /// Takes out what is no longer wanted.
  ///
  /// - Complexity: O(count).
  mutating func removeAll(where isUnwanted: (Job) -> Bool) {
    for index in levels.indices {
      let rest = levels[index].jobs[levels[index].head...]
      levels[index].jobs = rest.filter { $0.map { !isUnwanted($0) } ?? false }
      levels[index].head = 0
    }
    count = levels.reduce(0) { $0 + $1.jobs.count }
  }

  private mutating func pop(_ index: Int) -> Job? {
    guard levels[index].head < levels[index].jobs.count else { return nil }
    let job = levels[index].jobs[levels[index].head]
    levels[index].jobs[levels[index].head] = nil
    levels[index].head += 1
    count -= 1
    startAfreshIfEmpty(index)
    return job
  }

  private mutating func startAfreshIfEmpty(_ index: Int) {
    guard levels[index].head == levels[index].jobs.count else { return }
    levels[index].jobs.removeAll(keepingCapacity: levels[index].head <= 64)
    levels[index].head = 0
  }
}
