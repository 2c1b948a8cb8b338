/// How luma and chroma encode red, green and blue.
package struct YCbCrEncoding: Hashable, Sendable {
  /// The weights of red and blue in luma.
  package enum Matrix: Hashable, Sendable {
    /// ITU-R BT.601: JPEG, WebP, and files that do not declare a matrix.
    case bt601
    /// ITU-R BT.709.
    case bt709
    /// ITU-R BT.2020 with non-constant luminance.
    case bt2020

    var red: Double {
      switch self {
      case .bt601: 0.299
      case .bt709: 0.2126
      case .bt2020: 0.2627
      }
    }

    var blue: Double {
      switch self {
      case .bt601: 0.114
      case .bt709: 0.0722
      case .bt2020: 0.0593
      }
    }
  }

  package var matrix: Matrix
  /// Whether luma has the range 0 to 255 instead of 16 to 235.
  package var isFullRange: Bool
  /// The bits of a sample in the file, 8 to 16. The neutral chroma value is a slightly different fraction of the
  /// range for each.
  package var bits: Int
  /// The fractional bits of the factors with which a full decode computes colours, if there are so few that the
  /// rounding is visible; `nil` if the factors are practically exact.
  package var factorBits: Int?

  package init(matrix: Matrix, isFullRange: Bool, bits: Int = 8, factorBits: Int? = nil) {
    precondition(8...16 ~= bits, "samples of 8 to 16 bits")
    precondition(factorBits.map { 1...14 ~= $0 } ?? true, "factors of 1 to 14 bits")
    self.factorBits = factorBits
    self.matrix = matrix
    self.isFullRange = isFullRange
    self.bits = bits
  }

  /// The encoding of JPEG (ITU-T T.871).
  package static let jfif = YCbCrEncoding(matrix: .bt601, isFullRange: true)
  /// The encoding of WebP (RFC 9649, which refers to RFC 6386).
  package static let webp = YCbCrEncoding(matrix: .bt601, isFullRange: false)

  /// The sample of the file that becomes 255 in a `SamplePlane`.
  package var white: Double {
    isFullRange ? Double(1 << bits - 1) : Double(255 << (bits - 8))
  }

  /// The chroma value of grey, on the scale where `white` is 255.
  var neutral: Double { Double(1 << (bits - 1)) * 255 / white }
}
