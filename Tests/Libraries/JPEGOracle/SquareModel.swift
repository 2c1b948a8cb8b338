import Foundation

/// A model of the decoder's transforms of 3 to 6 and 8 eighths: loops over the definition, in the same integers.
///
/// Along a line of `n` samples, `y[i] = x[0] + Σ x[k] √2 cos((2i + 1)kπ / 2n)`. The weight of a coefficient is rounded to
/// whole numbers and 65536ths, and the product with the 65536ths is rounded down. Sums wrap at 16 bits, so their order does
/// not matter.
public enum SquareModel {
  /// The samples of a square, in 64ths, row by row.
  ///
  /// - Parameters:
  ///   - coefficients: the dequantized coefficients, row by row: those of a row have the same vertical frequency.
  ///   - side: the eighths: 3 to 6 or 8.
  public static func samples(_ coefficients: [Int16], side: Int) -> [Int16] {
    precondition(coefficients.count == side * side, "a square of coefficients")
    // Two fraction bits.
    var square = coefficients.map { wrapped(Int($0) * 4) }
    for v in 0..<side {
      let row = line((0..<side).map { square[v * side + $0] })
      for x in 0..<side { square[v * side + x] = row[x] }
    }
    for x in 0..<side {
      let column = line((0..<side).map { square[$0 * side + x] })
      for y in 0..<side { square[y * side + x] = column[y] }
    }
    // Both lines multiply by 8: five fraction bits.
    return square.map { (sum: Int16) -> Int16 in
      let clamped = max(-128 * 32, min(127 * 32, sum))
      return (clamped + 128 * 32) * 2
    }
  }

  private static func line(_ x: [Int16]) -> [Int16] {
    let n = x.count
    return (0..<n).map { (i: Int) -> Int16 in
      // The middle of five takes √2 of a difference, which is rounded once.
      if n == 5, i == 2 {
        return wrapped(Int(x[0]) - product(wrapped(Int(x[2]) - Int(x[4])), 2.0.squareRoot()))
      }
      var sum = Int(x[0])
      for k in 1..<n {
        let angle = Double((2 * i + 1) * k) * Double.pi / Double(2 * n)
        let weight = 2.0.squareRoot() * cos(angle)
        let size = abs(weight)
        // Three and six have √2 as twice √½.
        let isDoubled = n % 3 == 0 && size > 1.4
        let term = isDoubled ? 2 * product(x[k], size / 2) : product(x[k], size)
        sum += weight < 0 ? -term : term
      }
      return wrapped(sum)
    }
  }

  /// x · weight for a weight that is not negative.
  private static func product(_ x: Int16, _ weight: Double) -> Int {
    let whole = weight.rounded()
    let fraction = Int(((weight - whole) * 65536).rounded())
    let scaled = Double(Int(x) * fraction) / 65536
    return Int(x) * Int(whole) + Int(scaled.rounded(.down))
  }

  private static func wrapped(_ sum: Int) -> Int16 { Int16(truncatingIfNeeded: sum) }
}
