/// The number of a place in a `SlotMap`, and which of the elements that have been there is meant: a number that is
/// kept for too long names nothing, never another element.
package struct SlotID: Hashable, Sendable {
  let index: Int
  let generation: UInt32
}

/// Elements in numbered places that are used again: a slot map.
///
/// - Complexity: amortised O(1) for everything; the memory is that of the most elements there ever were.
struct SlotMap<Element> {
  private var elements: [Element?] = []
  private var generations: [UInt32] = []
  private var free: [Int] = []

  /// The number of elements.
  var count: Int { elements.count - free.count }

  /// The numbers of the places that are taken.
  ///
  /// - Complexity: O(places).
  var indices: [Int] { elements.indices.filter { elements[$0] != nil } }

  mutating func insert(_ element: Element) -> SlotID {
    if let index = free.popLast() {
      elements[index] = element
      return SlotID(index: index, generation: generations[index])
    }
    elements.append(element)
    generations.append(0)
    return SlotID(index: elements.count - 1, generation: 0)
  }

  @discardableResult
  mutating func remove(at index: Int) -> Element {
    let element = self[index]
    elements[index] = nil
    generations[index] &+= 1
    free.append(index)
    return element
  }

  func contains(_ id: SlotID) -> Bool {
    elements.indices.contains(id.index) && generations[id.index] == id.generation && elements[id.index] != nil
  }

  /// The number of the element that is in a place now.
  func id(at index: Int) -> SlotID { SlotID(index: index, generation: generations[index]) }

  /// The element in a place that is taken.
  subscript(index: Int) -> Element {
    get {
      guard let element = elements[index] else { preconditionFailure("nothing is in slot \(index)") }
      return element
    }
    _modify {
      precondition(elements[index] != nil, "nothing is in slot \(index)")
      yield &elements[index]!
    }
  }
}

extension SlotMap: Sendable where Element: Sendable {}
