// Elements of what was split or parsed, which may have fewer than its reader expects. The plain subscript ends the process
// for an element that does not exist; `split` returns no element at all for a text of separators alone.

extension Collection {
  /// The first element.
  @inlinable
  package var checkedFirst: Element {
    get throws(OutOfRange) {
      guard let first else { throw .element(0, count: 0) }
      return first
    }
  }
}

extension BidirectionalCollection {
  /// The last element.
  @inlinable
  package var checkedLast: Element {
    get throws(OutOfRange) {
      guard let last else { throw .element(0, count: 0) }
      return last
    }
  }
}

extension Collection where Index == Int {
  /// The element at an index; `nil` for an index that the collection does not have.
  @inlinable
  package func element(at index: Int) -> Element? {
    index >= startIndex && index < endIndex ? self[index] : nil
  }

  /// The element at an index.
  @inlinable
  package subscript(checked index: Int) -> Element {
    get throws(OutOfRange) {
      guard index >= startIndex, index < endIndex else { throw .element(index, count: count) }
      return self[index]
    }
  }

  /// The elements of a range.
  @inlinable
  package subscript(checked range: Range<Int>) -> SubSequence {
    get throws(OutOfRange) {
      guard range.lowerBound >= startIndex, range.upperBound <= endIndex else {
        throw .element(range.lowerBound < startIndex ? range.lowerBound : range.upperBound, count: count)
      }
      return self[range]
    }
  }
}

extension Range where Bound == Int {
  /// The range from one number up to and without another. `a..<b` ends the process if `b` is the smaller one.
  @inlinable
  package init(checked lower: Int, _ upper: Int) throws(OutOfRange) {
    guard lower <= upper else { throw .range(lower, upper) }
    self = Range(uncheckedBounds: (lower, upper))
  }
}

extension ClosedRange {
  /// Whether a value is in the range. `contains` also says so of a date that is not a number: dates have no `<=` of their
  /// own, and the standard one is the opposite of `>`.
  @inlinable
  package func holds(_ value: Bound) -> Bool {
    (lowerBound < value || lowerBound == value) && (value < upperBound || value == upperBound)
  }
}
