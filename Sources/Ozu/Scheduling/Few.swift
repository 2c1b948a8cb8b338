/// A list that mostly has one element or none, and then takes no memory of its own.
package struct Few<Element>: RandomAccessCollection {
  private var first: Element?
  private var others: [Element] = []

  package init() {}

  package var startIndex: Int { 0 }
  package var endIndex: Int { first == nil ? 0 : 1 + others.count }

  package subscript(index: Int) -> Element {
    if index > 0 { return others[index - 1] }
    guard let first else { preconditionFailure("the list is empty") }
    return first
  }

  /// Calls a closure with each element. A loop over the list copies the list.
  package func forEach(_ body: (Element) -> Void) {
    guard let first else { return }
    body(first)
    for other in others { body(other) }
  }

  package mutating func append(_ element: Element) {
    if first == nil { first = element } else { others.append(element) }
  }
}

extension Few: Sendable where Element: Sendable {}
