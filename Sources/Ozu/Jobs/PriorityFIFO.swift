/// A queue that gives out the most urgent element first and, of equally urgent ones, the oldest. An element's
/// urgency can change while it waits; it then stands behind those of its new level.
///
/// An element that moves or leaves stays behind as a mark that is passed over when its turn comes: each entry
/// knows the turn it is valid for.
///
/// - Complexity: amortised O(1) for everything; the levels are few and fixed.
struct PriorityFIFO<Element> {
  private struct Entry {
    let id: Int
    let turn: Int
  }

  private struct Waiting {
    let element: Element
    var level: Int
    var turn: Int
  }

  /// A first-in, first-out list on an array whose consumed front is dropped when it is half of it.
  private struct Level {
    var entries: [Entry] = []
    var head = 0

    mutating func popFirst() -> Entry? {
      guard head < entries.count else {
        entries.removeAll(keepingCapacity: true)
        head = 0
        return nil
      }
      let entry = entries[head]
      head += 1
      if head > 32 && head * 2 > entries.count {
        entries.removeFirst(head)
        head = 0
      }
      return entry
    }
  }

  private var levels = ImagePriority.allCases.map { _ in Level() }
  private var waiting: [Int: Waiting] = [:]
  private var lastID = 0

  /// The number of elements.
  var count: Int { waiting.count }

  /// Adds an element and returns a number by which it can be moved or removed.
  @discardableResult
  mutating func append(_ element: Element, priority: ImagePriority) -> Int {
    lastID += 1
    waiting[lastID] = Waiting(element: element, level: priority.rawValue, turn: 0)
    levels[priority.rawValue].entries.append(Entry(id: lastID, turn: 0))
    return lastID
  }

  /// Gives an element another urgency; nothing when it is gone.
  mutating func move(_ id: Int, to priority: ImagePriority) {
    guard let place = waiting[id], place.level != priority.rawValue else { return }
    waiting[id]?.level = priority.rawValue
    waiting[id]?.turn += 1
    levels[priority.rawValue].entries.append(Entry(id: id, turn: place.turn + 1))
  }

  /// Takes an element out before its turn; `nil` when it is gone.
  mutating func remove(_ id: Int) -> Element? {
    waiting.removeValue(forKey: id)?.element
  }

  mutating func popFirst() -> Element? {
    for level in levels.indices.reversed() {
      while let entry = levels[level].popFirst() {
        guard let place = waiting[entry.id], place.turn == entry.turn else { continue }
        waiting[entry.id] = nil
        return place.element
      }
    }
    return nil
  }
}
