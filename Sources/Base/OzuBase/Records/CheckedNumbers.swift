// Numbers and elements from files, servers, stores, other processes, settings and command lines. A plain conversion, sum or
// subscript ends the process when the result does not exist; these take the end of the range, or are `nil`.

extension FixedWidthInteger {
  /// The number rounded to a whole one, or the end of the range if it is outside; 0 for NaN.
  @inlinable
  package init(clamping value: Double, rounded rule: FloatingPointRoundingRule = .towardZero) {
    let whole = value.rounded(rule)
    if whole.magnitude < 0x1p63 {
      // The concrete conversion: the generic one, which is needed beyond 64 bits with a sign, takes 200 instructions.
      self = Self(clamping: Int64(whole))
    } else {
      self = value.isNaN ? 0 : Self(exactly: whole) ?? (value < 0 ? .min : .max)
    }
  }

  /// The sum, or the end of the range if it overflows.
  @inlinable
  package func saturatingSum(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }

  /// The difference, or the end of the range if it overflows.
  @inlinable
  package func saturatingDifference(_ other: Self) -> Self {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other > 0 ? .min : .max) : difference
  }

  /// The product, or the end of the range if it overflows.
  @inlinable
  package func saturatingProduct(_ other: Self) -> Self {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }
}

extension Collection where Index == Int {
  /// The element at an index; `nil` for an index that the collection does not have.
  @inlinable
  package func element(at index: Int) -> Element? {
    index >= startIndex && index < endIndex ? self[index] : nil
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
