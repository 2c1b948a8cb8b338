// Numbers from files, servers, stores, other processes, settings and command lines. A plain conversion or sum of such a
// number ends the process when the result does not exist; each of these throws, or takes the end of the range if its
// name says so.

extension FixedWidthInteger {
  /// The same whole number.
  ///
  /// - Throws: for a number with a fraction, an infinite one, NaN, and one that the type does not have.
  @inlinable
  package init(checked value: Double) throws(OutOfRange) {
    guard let number = Self(exactly: value) else { throw .value(value) }
    self = number
  }

  /// The number rounded to a whole one.
  ///
  /// - Throws: for an infinite number, NaN, and one that the type does not have.
  @inlinable
  package init(checked value: Double, rounded rule: FloatingPointRoundingRule) throws(OutOfRange) {
    guard let number = Self(exactly: value.rounded(rule)) else { throw .value(value) }
    self = number
  }

  /// The same number in another integer type.
  @inlinable
  package init(checked value: some BinaryInteger) throws(OutOfRange) {
    guard let number = Self(exactly: value) else {
      throw .integer(UInt64(truncatingIfNeeded: value), isNegative: value < 0)
    }
    self = number
  }

  /// The number rounded to a whole one, or the end of the range if it is outside; 0 for NaN.
  @inlinable
  package init(clamping value: Double, rounded rule: FloatingPointRoundingRule = .towardZero) {
    if value.isNaN {
      self = 0
    } else {
      self = Self(exactly: value.rounded(rule)) ?? (value < 0 ? .min : .max)
    }
  }

  @inlinable
  package func checkedSum(_ other: Self) throws(OutOfRange) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    if overflow { throw .sum }
    return sum
  }

  @inlinable
  package func checkedDifference(_ other: Self) throws(OutOfRange) -> Self {
    let (difference, overflow) = subtractingReportingOverflow(other)
    if overflow { throw .difference }
    return difference
  }

  @inlinable
  package func checkedProduct(_ other: Self) throws(OutOfRange) -> Self {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    if overflow { throw .product }
    return product
  }

  /// The number times two to the power of `count`.
  ///
  /// - Throws: if the result does not exist in the type, and for a count that is negative or not less than its width. The
  ///   plain operator drops the bits that leave the number.
  @inlinable
  package func checkedShift(left count: Int) throws(OutOfRange) -> Self {
    guard count >= 0, count < Self.bitWidth else { throw .shift }
    let shifted = self &<< Self(truncatingIfNeeded: count)
    if shifted &>> Self(truncatingIfNeeded: count) != self { throw .shift }
    return shifted
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

/// A number or an element from outside that does not exist in the range in which it was wanted.
///
/// It is thrown by the checked forms of conversions, arithmetic and access, which stand where the plain forms would end
/// the process. A module catches it at its border and throws its own error, which knows the file or the message:
/// ```
/// do throws(OutOfRange) {
///   return try offset.checkedSum(length)
/// } catch {
///   throw .corrupt(.tiff, stage: "directory: \(error)")
/// }
/// ```
@usableFromInline
package enum OutOfRange: Error, Hashable, Sendable {
  /// A floating-point value that the integer type does not have: too large, infinite, not a number, or with a fraction
  /// where a whole number is wanted.
  case value(Double)
  /// An integer that the narrower type does not have. Its lowest 64 bits, and whether it is negative.
  case integer(UInt64, isNegative: Bool)
  /// A sum, a difference, a product or a shift that the type does not have.
  case sum, difference, product, shift
  /// An element that a collection of `count` elements does not have.
  case element(Int, count: Int)
  /// A range that ends before it begins.
  case range(Int, Int)
}

extension OutOfRange: CustomStringConvertible {
  @usableFromInline
  package var description: String {
    switch self {
    case .value(let value): "the number \(value) is out of range"
    case .integer(let bits, let isNegative):
      "the number \(isNegative ? String(Int64(bitPattern: bits)) : String(bits)) is out of range"
    case .sum: "a sum is out of range"
    case .difference: "a difference is out of range"
    case .product: "a product is out of range"
    case .shift: "a shift is out of range"
    case .element(let index, let count): "element \(index) of \(count) does not exist"
    case .range(let lower, let upper): "the range from \(lower) to \(upper) ends before it begins"
    }
  }
}
