/// The sums of the errors of one channel at one scale.
///
/// Rows are whole vectors of four values, which are zero after the last pixel: that makes no errors there.
struct ErrorSums {
  private var structure = NormSums()
  private var ringing = NormSums()
  private var blur = NormSums()

  typealias Row = UnsafeMutablePointer<Float>

  /// Adds the edge errors of a row.
  ///
  /// - Parameter edges: the strength of the original's edges and of the copy's: how far each pixel is from its blurred
  ///   value.
  mutating func addEdges(_ edges: (Row, Row), width: Int) {
    var gained = (sum: SIMD4<Float>.zero, fourth: SIMD4<Float>.zero)
    var lost = gained
    for x in stride(from: 0, to: width, by: 4) {
      let strength = edges.0.four(x)
      let change = (edges.1.four(x) - strength) / (1 + strength)
      let more = change.positive
      let less = more - change
      let (moreSquare, lessSquare) = (more * more, less * less)
      gained.sum += more
      gained.fourth += moreSquare * moreSquare
      lost.sum += less
      lost.fourth += lessSquare * lessSquare
    }
    ringing.add(gained.sum, gained.fourth)
    blur.add(lost.sum, lost.fourth)
  }

  /// Adds the errors of structure of a row.
  ///
  /// The error is 1 - (1 - distance²) · (2 covariance + c) / (variances + c). Both terms of the quotient are nearly
  /// equal, so their difference is computed from the variance of the difference of the pictures: else the errors of
  /// rounding would be taken for errors of the copy, some tenths of a point at 90.
  ///
  /// - Parameters:
  ///   - squares: the blurred sum of the squares of both.
  ///   - differences: the blurred square of their difference.
  mutating func addStructure(
    means: (Row, Row), squares: Row, differences: Row, width: Int
  ) {
    var (sum, fourth) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    for x in stride(from: 0, to: width, by: 4) {
      let (a, b) = (means.0.four(x), means.1.four(x))
      let distance = (a - b) * (a - b)
      let variances = squares.four(x) - (a * a + b * b) + Self.flatness
      let variance = differences.four(x) - distance
      let error = ((variance + distance * (variances - variance)) / variances).positive
      let square = error * error
      sum += error
      fourth += square * square
    }
    structure.add(sum, fourth)
  }

  /// The constant of SSIM that keeps flat neighbourhoods from dividing by nothing.
  private static let flatness: Float = 0.0009

  func errors(pixelCount: Int) -> ChannelErrors {
    let count = Double(pixelCount)
    let sums = [structure, ringing, blur]
    return ChannelErrors(
      norms: sums.map { $0.sum / count } + sums.map { ($0.fourth / count).squareRoot().squareRoot() })
  }
}

/// The sums of one kind of error and of its fourth powers.
private struct NormSums {
  var sum = 0.0
  var fourth = 0.0

  /// Adds the sums of a row. Floats are exact enough for a row; doubles sum the rows.
  mutating func add(_ sum: SIMD4<Float>, _ fourth: SIMD4<Float>) {
    self.sum += Double(sum.sum())
    self.fourth += Double(fourth.sum())
  }
}

extension SIMD4<Float> {
  /// The values that are above zero, and zero for others.
  @inline(__always)
  fileprivate var positive: SIMD4<Float> { replacing(with: 0 as Float, where: self .< 0) }
}
