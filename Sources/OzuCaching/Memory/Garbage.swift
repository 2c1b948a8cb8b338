/// Collects what must outlive a lock; the first element needs no allocation.
@usableFromInline
struct Garbage<Element> {
  @usableFromInline var first: Element?
  @usableFromInline var rest: [Element] = []
  @usableFromInline var objects: [AnyObject] = []

  @inlinable
  init() {}

  @inlinable var isEmpty: Bool { first == nil }

  @inlinable
  mutating func add(_ element: Element?) {
    guard let element else { return }
    if first == nil { first = element } else { rest.append(element) }
  }
}
