import OzuBase

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

/// The errors of one channel at one scale: means and fourth norms.
struct ChannelErrors {
  /// Means of structure, ringing and blur, then their fourth norms: the order of the weights.
  var norms: [Double] = []
}

/// The constants of SSIMULACRA 2.1 that turn errors into a score.
enum ErrorWeights {
  /// The number of scales of a picture that is large enough.
  static let scaleCount = 6

  /// Which errors of a channel count.
  struct Terms {
    var structure: Bool
    var edges: Bool

    var isEmpty: Bool { !structure && !edges }
  }

  /// The errors that count: those with a weight of 0.01 and more. The others together weigh 0.02 of 900, less than
  /// 0.01 points of every score that was tried, and would be half of the work: the finest scale has brightness alone.
  static func terms(_ channel: Int, scale: Int, of scaleCount: Int) -> Terms {
    let weights = weights(channel, scale: scale, of: scaleCount)
    func counts(_ places: [Int]) -> Bool { places.contains { weights[weights.startIndex + $0] >= 0.01 } }
    return Terms(structure: counts([0, 3]), edges: counts([1, 2, 4, 5]))
  }

  static func score(_ scales: [[ChannelErrors]]) -> Double {
    var sum = 0.0
    for (scale, channels) in scales.enumerated() {
      for (channel, errors) in channels.enumerated() {
        sum += zip(weights(channel, scale: scale, of: scales.count), errors.norms)
          .reduce(0) { $0 + $1.0 * $1.1 }
      }
    }
    sum *= 0.9562382616834844
    let error = sum * (2.326765642916932 + sum * (-0.020884521182843837 + sum * 6.248496625763138e-05))
    return error > 0 ? 100 - 10 * pow(error, 0.6276336467831387) : 100
  }

  /// The six weights of one channel at one scale. If a picture has fewer scales, the reference takes its weights
  /// from the table without gaps, and so does this.
  private static func weights(_ channel: Int, scale: Int, of scaleCount: Int) -> ArraySlice<Double> {
    let start = (channel * scaleCount + scale) * 6
    return table[start..<start + 6]
  }

  /// Tuned by the author on 22,000 judgements of observers. One line for each scale of X, Y and B: structure,
  /// ringing, blur; first of means, then of fourth norms.
  private static let table: [Double] = [
    0, 0.0007376606707406586, 0, 0, 0.0007793481682867309, 0,
    0, 0.0004371155730107379, 0, 1.1041726426657346, 0.00066284834129271, 0.00015231632783718752,
    0, 0.0016406437456599754, 0, 1.8422455520539298, 11.441172603757666, 0,
    0.0007989109436015163, 0.000176816438078653, 0, 1.8787594979546387, 10.94906990605142, 0,
    0.0007289346991508072, 0.9677937080626833, 0, 0.00014003424285435884, 0.9981766977854967,
    0.00031949755934435053,
    0.0004550992113792063, 0, 0, 0.0013648766163243398, 0, 0,
    0, 0, 0, 7.466890328078848, 0, 17.445833984131262,
    0.0006235601634041466, 0, 0, 6.683678146179332, 0.00037724407979611296, 1.027889937768264,
    225.20515300849274, 0, 0, 19.213238186143016, 0.0011401524586618361, 0.001237755635509985,
    176.39317598450694, 0, 0, 24.43300999870476, 0.28520802612117757, 0.0004485436923833408,
    0, 0, 0, 34.77906344483772, 44.835625328877896, 0,
    0, 0, 0, 0, 0, 0,
    0, 0.0008680556573291698, 0, 0, 0, 0,
    0, 0.0005313191874358747, 0, 0.00016533814161379112, 0, 0,
    0, 0, 0, 0.0004179171803251336, 0.0017290828234722833, 0,
    0.0020827005846636437, 0, 0, 8.826982764996862, 23.19243343998926, 0,
    95.1080498811086, 0.9863978034400682, 0.9834382792465353, 0.0012286405048278493, 171.2667255897307,
    0.9807858872435379,
    0, 0, 0, 0.0005130064588990679, 0, 0.00010854057858411537,
  ]
}
