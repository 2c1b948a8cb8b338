/// A list that mostly has one element or none, and then takes no memory of its own.
package struct Few<Element>: RandomAccessCollection {
  private var first: Element?
  // Optional, because to let go of an empty array is a call, and operations of the scheduler have ten such lists.
  private var others: [Element]?

  package init() {}

  package var startIndex: Int { 0 }
  package var isEmpty: Bool { first == nil }
  package var endIndex: Int { first == nil ? 0 : 1 + (others?.count ?? 0) }

  package subscript(index: Int) -> Element {
    guard let element = index == 0 ? first : others?[index - 1] else {
      preconditionFailure("no element \(index)")
    }
    return element
  }

  /// Calls a closure with each element. A loop over the list copies the list.
  package func forEach(_ body: (Element) -> Void) {
    guard let first else { return }
    body(first)
    guard let others else { return }
    for other in others { body(other) }
  }

  package mutating func append(_ element: Element) {
    if first == nil {
      first = element
    } else if others == nil {
      others = [element]
    } else {
      others!.append(element)
    }
  }
}

extension Few: Sendable where Element: Sendable {}
