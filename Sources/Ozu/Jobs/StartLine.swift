/// Jobs that wait for a Swift task to begin in: the most urgent first and, of equally urgent ones, the oldest.
///
/// Nothing is ever searched: a job that leaves or moves to another level only stops being valid at its former place.
/// Each entry has the number that its job was given with it, so the owner can tell a valid entry from a stale one.
/// Stale entries are skipped when they are popped, and `compact` removes them when they are the majority.
///
/// - Complexity: amortised O(1) for everything.
struct StartLine<Job> {
  /// A job in the queue.
  struct Entry {
    let job: Job
    /// The number that the job was given with this entry.
    let turn: Int
  }

  private struct Level {
    var entries: [Entry?] = []
    var head = 0
  }

  // Indexed by the levels of `ImagePriority`.
  private var levels = ImagePriority.allCases.map { _ in Level() }
  /// The number of entries, stale ones included.
  private(set) var count = 0

  mutating func append(_ job: Job, turn: Int, level: ImagePriority) {
    levels[level.rawValue].entries.append(Entry(job: job, turn: turn))
    count += 1
  }

  /// The next entry of a level or above.
  mutating func popFirst(from lowest: ImagePriority = .veryLow) -> Entry? {
    guard count > 0 else { return nil }
    for level in ImagePriority.allCases[lowest.rawValue...].reversed() {
      if let entry = pop(level.rawValue) { return entry }
    }
    return nil
  }

  /// Removes the last entry of a level, if it has this number.
  mutating func removeLast(turn: Int, level: ImagePriority) {
    let index = level.rawValue
    guard levels[index].head < levels[index].entries.count, levels[index].entries.last??.turn == turn else {
      return
    }
    levels[index].entries.removeLast()
    count -= 1
    startAfreshIfEmpty(index)
  }

  /// Removes stale entries, if most are stale.
  ///
  /// - Parameter validCount: the number of valid entries.
  /// - Complexity: amortised O(1) for each entry that became stale.
  mutating func compact(validCount: Int, isValid: (Entry) -> Bool) {
    guard count > 64, validCount * 2 < count else { return }
    for index in levels.indices {
      let rest = levels[index].entries[levels[index].head...]
      levels[index].entries = rest.filter { $0.map(isValid) ?? false }
      levels[index].head = 0
    }
    count = levels.reduce(0) { $0 + $1.entries.count }
  }

  private mutating func pop(_ index: Int) -> Entry? {
    guard levels[index].head < levels[index].entries.count else { return nil }
    let entry = levels[index].entries[levels[index].head]
    levels[index].entries[levels[index].head] = nil
    levels[index].head += 1
    count -= 1
    startAfreshIfEmpty(index)
    return entry
  }

  private mutating func startAfreshIfEmpty(_ index: Int) {
    let head = levels[index].head
    if head == levels[index].entries.count {
      levels[index].entries.removeAll(keepingCapacity: head <= 64)
      levels[index].head = 0
    } else if head > 64, head * 2 > levels[index].entries.count {
      // A level that never runs empty must not keep the places of all that passed through it.
      levels[index].entries.removeFirst(head)
      levels[index].head = 0
    }
  }
}
