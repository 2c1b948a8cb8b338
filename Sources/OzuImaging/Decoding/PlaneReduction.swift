/// What a header says of the planes of a picture whose decoder can hand out planes instead of pixels.
public struct PlaneLayout: Hashable, Sendable {
  /// How a decoder comes by the planes.
  public enum Source: Hashable, Sendable {
    /// By a transform of squares of 8 × 8, so that it can make a few eighths of them.
    case frequencies
    /// Whole, in so many bytes for each pixel of the picture, and hands them out row by row.
    case wholePlanes(bytesPerPixel: Int)
    /// Row by row, and never has the whole.
    case rows
  }

  /// How the decoder comes by the planes.
  public var source = Source.frequencies
  /// How many pixels of the width a chroma sample stands for; `nil` for a grey picture.
  public var chromaStep: ChromaStep?

  /// How many pixels a chroma sample stands for on each side: 2 and 2 for 4:2:0.
  public struct ChromaStep: Hashable, Sendable {
    /// In a row.
    public var horizontal: Int
    /// In a column.
    public var vertical: Int

    /// Makes a step.
    public init(horizontal: Int, vertical: Int) {
      self.horizontal = horizontal
      self.vertical = vertical
    }
  }

  /// Makes a layout.
  public init(chromaStep: ChromaStep?, source: Source = .frequencies) {
    self.chromaStep = chromaStep
    self.source = source
  }
}

/// The eighths at which the planes of a picture are decoded, when they go to the resampler as planes.
///
/// An eighth is one sample for each block of 8 × 8; `s` eighths keep the `s` × `s` lowest frequencies of a
/// block and never look at the others.
public struct PlaneReduction: Hashable, Sendable {
  /// The eighths of luma: 1 to 6 or 8.
  public let luma: Int
  /// The eighths of chroma: 1 to 6 or 8.
  public let chroma: Int
  /// Whether the file comes in passes, some of which bring one more bit of the coefficients.
  public let isProgressive: Bool

  /// The most eighths of luma: of a file in passes those for which the scans of last bits can be left out, of another all.
  static func largest(isProgressive: Bool) -> Int { isProgressive ? 4 : 8 }
  /// The samples of luma that a pixel of the result needs. Below, the cut through the frequencies shows.
  static let lumaHeadroom = 2.0
  /// The samples of chroma that a pixel of the result needs: fewer, as the eye and all codecs have it.
  static let chromaHeadroom = 1.5
  /// The same for an eighth, which is a mean over squares and so the poorest of filters.
  static let chromaHeadroomOfMeans = 2.0

  /// Chooses the eighths; `nil` when the result is too large for them.
  ///
  /// - Parameters:
  ///   - region: the area of the stored picture that is shown.
  ///   - output: the size at which it is shown.
  init?(
    layout: PlaneLayout, isProgressive: Bool, region: PixelRegion, output: PixelSize,
    quality: DecodingQuality
  ) {
    guard layout.source == .frequencies else { return nil }
    let ratio = min(region.width / Double(output.width), region.height / Double(output.height))
    let enough = Int((8 * Self.lumaHeadroom / ratio).rounded(.up))
    let largest = Self.largest(isProgressive: isProgressive)
    guard enough <= largest else { return nil }
    self.isProgressive = isProgressive
    luma = Self.offered(max(1, quality == .fast ? enough - 1 : enough))
    guard let step = layout.chromaStep else {
      chroma = luma
      return
    }
    let chromaRatio = min(
      region.width / Double(output.width * step.horizontal),
      region.height / Double(output.height * step.vertical))
    let most = step.horizontal * step.vertical > 1 ? luma + 1 : luma
    let fewest = quality == .balanced && chromaRatio < 8 * Self.chromaHeadroomOfMeans ? 2 : 1
    let wanted = max(fewest, Int((8 * Self.chromaHeadroom / chromaRatio).rounded(.up)))
    chroma = Self.offered(min(wanted, most, largest))
  }

  /// The number of eighths that there is a transform for: any but 7.
  private static func offered(_ eighths: Int) -> Int { eighths == 7 ? 8 : eighths }

  /// About the bytes that the planes of a picture of `size` take.
  func byteCount(of size: PixelSize, layout: PlaneLayout) -> Int {
    let blockCount = ((size.width + 7) / 8) * ((size.height + 7) / 8)
    let chromaShare = layout.chromaStep.map { 2.0 / Double($0.horizontal * $0.vertical) } ?? 0
    let samples = Double(luma * luma) + Double(chroma * chroma) * chromaShare
    // Beside the samples a word for each block of a file in passes, which says what of it is zero.
    let history = isProgressive ? 8 * (1 + chromaShare) : 0
    return Int(Double(blockCount) * (samples * 2 + history))
  }
}
