/// A queue that gives out the most urgent element first and, of equally urgent ones, the oldest. An element's
/// urgency can change while it waits; it then stands behind those of its new level.
///
/// Elements may have a size. Then a large one lets smaller ones that came later go first, but no more of them than
/// it has size itself: a small picture does not wait for a few huge ones, and a huge one waits for no more bytes than
/// it would have made others wait. For that each level has a lane for each class of size, first in, first out.
/// The oldest element of a level is its turn by right; the head of a lane of smaller elements may go before it
/// while it has credit, which is its own size and is spent on those that overtake it. So nothing starves, elements
/// of one class keep their order, and elements without sizes are a plain queue.
///
/// An element that moves or leaves only makes its entry stale: each entry knows the turn it is valid for. Stale
/// entries are skipped when their turn comes, and removed when they are the majority of their level.
///
/// - Complexity: amortised O(1) for everything but `position(of:)`; the levels and lanes are few and fixed.
struct PriorityFIFO<Element> {
  private struct Entry {
    let id: Int
    /// Grows with each entry: tells which of two is older.
    let turn: Int
  }

  private struct Waiting {
    let element: Element
    let size: Int
    var level: Int
    var turn: Int
  }

  /// A first-in, first-out list on an array whose consumed front is dropped when it is half of it.
  private struct Lane {
    var entries: [Entry] = []
    var head = 0

    mutating func dropFirst() {
      head += 1
      if head == entries.count {
        entries.removeAll(keepingCapacity: true)
        head = 0
      } else if head > 32 && head * 2 > entries.count {
        entries.removeFirst(head)
        head = 0
      }
    }
  }

  private struct Level {
    var lanes = Array(repeating: Lane(), count: SizeLane.count)
    /// The number of elements.
    var count = 0
    /// The number of entries, stale ones included.
    var entryCount = 0
    /// The turn of the element that has been overtaken, and by how much.
    var overtaken = (turn: -1, size: 0)
  }

  private var levels = ImagePriority.allCases.map { _ in Level() }
  private var waiting: [Int: Waiting] = [:]
  private var lastID = 0
  private var lastTurn = 0

  /// The number of elements.
  var count: Int { waiting.count }

  /// The number of elements that are as urgent as that or more.
  func count(from priority: ImagePriority) -> Int {
    levels[priority.rawValue...].reduce(0) { $0 + $1.count }
  }

  /// Adds an element and returns a number by which it can be moved or removed.
  @discardableResult
  mutating func append(_ element: Element, priority: ImagePriority, size: Int = 0) -> Int {
    lastID += 1
    waiting[lastID] = Waiting(element: element, size: size, level: priority.rawValue, turn: 0)
    enter(lastID, size: size, level: priority.rawValue)
    return lastID
  }

  private mutating func enter(_ id: Int, size: Int, level: Int) {
    lastTurn += 1
    waiting[id]?.turn = lastTurn
    waiting[id]?.level = level
    levels[level].count += 1
    levels[level].entryCount += 1
    levels[level].lanes[SizeLane.number(of: size)].entries.append(Entry(id: id, turn: lastTurn))
  }

  /// Gives an element another urgency; nothing when it is gone.
  ///
  /// - Returns: whether that is another than before.
  @discardableResult
  mutating func move(_ id: Int, to priority: ImagePriority) -> Bool {
    guard let place = waiting[id], place.level != priority.rawValue else { return false }
    enter(id, size: place.size, level: priority.rawValue)
    noteLeft(place.level)
    return true
  }

  /// Takes an element out before its turn; `nil` when it is gone.
  mutating func remove(_ id: Int) -> Element? {
    guard let place = waiting.removeValue(forKey: id) else { return nil }
    noteLeft(place.level)
    return place.element
  }

  /// Counts an element that left a level before its turn, and removes the stale entries when they are the majority.
  private mutating func noteLeft(_ level: Int) {
    levels[level].count -= 1
    guard levels[level].entryCount > 64, levels[level].count * 2 < levels[level].entryCount else { return }
    for lane in levels[level].lanes.indices {
      let rest = levels[level].lanes[lane].entries[levels[level].lanes[lane].head...]
      levels[level].lanes[lane] = Lane(entries: rest.filter { waiting[$0.id]?.turn == $0.turn })
    }
    levels[level].entryCount = levels[level].count
  }

  /// The number of entries, those of elements that left included. For tests.
  var entryCount: Int { levels.reduce(0) { $0 + $1.entryCount } }

  mutating func popFirst() -> Element? {
    guard let level = levels.indices.last(where: { levels[$0].count > 0 }) else { return nil }
    let lane = nextLane(in: level)
    guard let entry = head(of: lane, in: level), let place = waiting.removeValue(forKey: entry.id) else {
      return nil
    }
    levels[level].lanes[lane].dropFirst()
    levels[level].entryCount -= 1
    levels[level].count -= 1
    return place.element
  }

  /// The lane whose head goes next, when the level has any element.
  private mutating func nextLane(in level: Int) -> Int {
    var oldest: (lane: Int, entry: Entry)?
    for lane in 0..<SizeLane.count {
      guard let entry = head(of: lane, in: level) else { continue }
      if oldest.map({ entry.turn < $0.entry.turn }) ?? true { oldest = (lane, entry) }
    }
    guard let oldest else { return 0 }
    if levels[level].overtaken.turn != oldest.entry.turn { levels[level].overtaken = (oldest.entry.turn, 0) }
    let credit = (waiting[oldest.entry.id]?.size ?? 0) - levels[level].overtaken.size
    for lane in 0..<oldest.lane {
      guard let entry = head(of: lane, in: level), let size = waiting[entry.id]?.size, size <= credit else {
        continue
      }
      levels[level].overtaken.size += size
      return lane
    }
    return oldest.lane
  }

  /// The first entry of a lane that still counts; those before it are dropped.
  private mutating func head(of lane: Int, in level: Int) -> Entry? {
    while levels[level].lanes[lane].head < levels[level].lanes[lane].entries.count {
      let entry = levels[level].lanes[lane].entries[levels[level].lanes[lane].head]
      if waiting[entry.id]?.turn == entry.turn { return entry }
      levels[level].lanes[lane].dropFirst()
      levels[level].entryCount -= 1
    }
    return nil
  }

  /// How many elements are more urgent, or as urgent and older; `nil` when the element is gone.
  ///
  /// - Complexity: O(count).
  func position(of id: Int) -> Int? {
    guard let place = waiting[id] else { return nil }
    return waiting.values.count {
      $0.level > place.level || $0.level == place.level && $0.turn < place.turn
    }
  }
}
