/// The layout of the planes of a picture whose decoder can return planes instead of pixels.
package struct PlaneLayout: Hashable, Sendable {
  /// How a decoder gets the planes.
  package enum Source: Hashable, Sendable {
    /// From a transform of blocks of 8 × 8, so that it can make planes at a few eighths of the size.
    case frequencies
    /// It has the whole planes in memory, with this many bytes for each pixel of the picture, and delivers them row
    /// by row.
    case wholePlanes(bytesPerPixel: Int)
    /// Row by row; the whole planes are never in memory.
    case rows
  }

  /// How the decoder gets the planes.
  package var source = Source.frequencies
  /// How many pixels a chroma sample covers; `nil` for a grey picture.
  package var chromaStep: ChromaStep?
  /// The rows of the picture that become samples together, if a decoder of frequencies makes planes in strips; `nil` if it has
  /// all samples only at the end.
  package var stripRows: Int?

  /// How many pixels a chroma sample covers on each side: 2 and 2 for 4:2:0.
  package struct ChromaStep: Hashable, Sendable {
    /// In a row.
    package var horizontal: Int
    /// In a column.
    package var vertical: Int

    package init(horizontal: Int, vertical: Int) {
      self.horizontal = horizontal
      self.vertical = vertical
    }
  }

  package init(chromaStep: ChromaStep?, source: Source = .frequencies, stripRows: Int? = nil) {
    self.chromaStep = chromaStep
    self.stripRows = stripRows
    self.source = source
  }
}

/// The eighths at which the planes of a picture are decoded, in a plan that resamples planes.
///
/// One eighth is one sample for each block of 8 × 8; `s` eighths decode the `s` × `s` lowest frequencies of a block
/// and skip the others.
package struct PlaneReduction: Hashable, Sendable {
  /// The eighths of luma: 1 to 6 or 8.
  package let luma: Int
  /// The eighths of chroma: 1 to 6 or 8.
  package let chroma: Int
  /// Whether the file is stored in passes, some of which add one bit to the coefficients.
  package let isProgressive: Bool

  /// The least number of luma samples for a pixel of the result. With fewer, the missing frequencies are visible.
  static let lumaHeadroom = 1.9
  /// The same for one and two eighths, whose filter is poorer.
  static let lumaHeadroomOfFew = 2.0
  /// The least number of chroma samples for a pixel of the result: fewer, because the eye resolves less chroma
  /// detail.
  static let chromaHeadroom = 1.5
  /// The same for one eighth, which is a mean over blocks and so the poorest filter.
  static let chromaHeadroomOfMeans = 2.0

  /// Chooses the eighths; `nil` if the result is too large for them.
  ///
  /// - Parameters:
  ///   - region: the region of the stored picture that is shown.
  ///   - output: the size at which it is shown.
  init?(
    layout: PlaneLayout, isProgressive: Bool, region: PixelRegion, output: PixelSize,
    quality: DecodingQuality
  ) {
    guard layout.source == .frequencies else { return nil }
    let ratio = min(region.width / Double(output.width), region.height / Double(output.height))
    let fewEnough = Int((8 * Self.lumaHeadroomOfFew / ratio).rounded(.up))
    let enough = min(fewEnough, max(3, Int((8 * Self.lumaHeadroom / ratio).rounded(.up))))
    guard enough <= 8 else { return nil }
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
    chroma = Self.offered(min(wanted, most, 8))
  }

  /// The eighths for which a transform exists: 8 instead of 7.
  private static func offered(_ eighths: Int) -> Int { eighths == 7 ? 8 : eighths }

  /// The estimated size of the planes of a picture of `size`, in bytes.
  func byteCount(of size: PixelSize, layout: PlaneLayout) -> Int {
    let blockCount = ((size.width + 7) / 8) * ((size.height + 7) / 8)
    let chromaShare = layout.chromaStep.map { 2.0 / Double($0.horizontal * $0.vertical) } ?? 0
    let samples = Double(luma * luma) + Double(chroma * chroma) * chromaShare
    // Beside the samples, a progressive file needs a word for each block, which says which coefficients are zero.
    let history = isProgressive ? 8 * (1 + chromaShare) : 0
    return Int(Double(blockCount) * (samples * 2 + history))
  }
}
