/// A queue that gives out the most urgent element first and, of equally urgent ones, the oldest.
///
/// - Complexity: amortised O(1) to add and to take; the levels are few and fixed.
struct PriorityFIFO<Element> {
  /// A first-in, first-out list on an array whose consumed front is dropped when it is half of it.
  private struct Level {
    var elements: [Element?] = []
    var head = 0

    mutating func popFirst() -> Element? {
      guard head < elements.count else { return nil }
      let element = elements[head]
      elements[head] = nil
      head += 1
      if head > 32 && head * 2 > elements.count {
        elements.removeFirst(head)
        head = 0
      }
      return element
    }
  }

  private var levels = ImagePriority.allCases.map { _ in Level() }

  mutating func append(_ element: Element, priority: ImagePriority) {
    levels[priority.rawValue].elements.append(element)
  }

  mutating func popFirst() -> Element? {
    for level in levels.indices.reversed() {
      if let element = levels[level].popFirst() { return element }
    }
    return nil
  }
}
