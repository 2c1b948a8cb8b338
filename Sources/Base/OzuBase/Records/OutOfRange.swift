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
