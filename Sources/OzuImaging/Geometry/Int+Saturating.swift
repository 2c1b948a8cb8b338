extension Int {
  /// The sum, or the end of the range if it overflows.
  package func saturatingSum(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }

  /// The product of two numbers that are not negative, or the largest number if it overflows.
  package func saturatingProduct(_ other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }

  /// The whole part of a number, or the end of the range if it is outside; 0 for NaN.
  init(clamping value: Double) {
    if value.isNaN {
      self = 0
    } else {
      self = Int(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
    }
  }
}
