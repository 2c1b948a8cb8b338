/// How a picture will be decoded, worked out from its header before any pixel memory is taken.
///
/// The decoder is asked for the smallest of its scales that still leaves the resampler twice as many pixels
/// as the result has on each side: block-wise reduction is a poor filter, and below that factor it shows.
///
/// Where the decoder can make planes instead (the header then has a `planeLayout`), `reduction` says how many of
/// their frequencies it keeps, or `averaging` how many samples become one. The way through pixels stays in the plan: a decoder takes it when the file turns out otherwise
/// than its header says.
public struct DecodePlan: Hashable, Sendable {
  /// The eighths of each side that are decoded: 8 for the whole, 1 for an eighth.
  public let eighths: Int
  /// The size of the decoded picture, as stored, in pixels.
  public let decodedSize: PixelSize
  /// The area of the decoded picture that is shown, as stored.
  public let region: PixelRegion
  /// The area of the whole picture that is shown, as stored.
  public let sourceRegion: PixelRegion
  /// The eighths at which planes are decoded; `nil` where the decoder makes pixels of `decodedSize`.
  public let reduction: PlaneReduction?
  /// The samples of planes that become one while they are decoded; `nil` where the decoder makes pixels, or has a
  /// `reduction`.
  public let averaging: PlaneAveraging?
  /// About the bytes that what is decoded takes, before it is resampled.
  public let decodedByteCount: Int
  /// The size of the result before it is turned upright.
  public let outputSize: PixelSize
  /// How the result is turned upright.
  public let orientation: Orientation
  /// The filter for the way from the decoded to the output size.
  public let kernel: ResamplingKernel
  /// In which values pixels are weighed on that way. Linear light needs all pixels: there is then no reduction.
  public let light: ResamplingLight

  /// How many decoded pixels each side of the result needs for each of its own.
  static let headroom = 2.0

  /// Plans a decode.
  ///
  /// - Parameters:
  ///   - header: of the file.
  ///   - resize: the recipe, for the upright picture; `nil` for the whole.
  ///   - scales: the eighths that the decoder offers, any order; 8 is always assumed, what is not in 1...8
  ///     ignored.
  public init(header: ImageHeader, resize: Resize?, scales: [Int] = [8]) {
    let stored = header.storedSize
    let geometry = ResizeGeometry(source: header.size, resize: resize)
    let storedRegion = header.orientation.storedRegion(geometry.region, stored: stored)
    let output = header.orientation.applied(to: geometry.outputSize)
    let light = resize?.light ?? .asStored
    let enough = (light == .linear ? [] : scales).filter((1...8).contains).sorted().first { eighths in
      let factor = Double(eighths) / 8
      return storedRegion.width * factor >= Double(output.width) * Self.headroom
        && storedRegion.height * factor >= Double(output.height) * Self.headroom
    }
    eighths = enough ?? 8
    let factor = Double(eighths) / 8
    decodedSize = PixelSize((stored.width * eighths + 7) / 8, (stored.height * eighths + 7) / 8)
    // The fractional extent, not the rounded-up size of the decoded picture: a picture 4001 pixels wide is
    // 500.125 pixels wide at an eighth, and stretching 501 over the result would shift its right side.
    region = storedRegion.scaled(horizontal: factor, vertical: factor)
    sourceRegion = storedRegion
    let layout = resize == nil || light == .linear ? nil : header.planeLayout
    reduction = layout.flatMap {
      PlaneReduction(
        layout: $0, isProgressive: header.isProgressive, region: storedRegion, output: output,
        quality: resize?.quality ?? .balanced)
    }
    if let layout, reduction == nil {
      averaging = PlaneAveraging(
        layout: layout, eighths: enough ?? 8, region: storedRegion, output: output)
    } else {
      averaging = nil
    }
    if let layout, let reduction {
      decodedByteCount = reduction.byteCount(of: stored, layout: layout)
    } else if let layout, let averaging {
      decodedByteCount = averaging.byteCount(of: decodedSize, layout: layout)
    } else {
      decodedByteCount = decodedSize.bitmapByteCount(as: .bgra8)
    }
    outputSize = output
    orientation = header.orientation
    kernel = resize?.kernel ?? .lanczos3
    self.light = light
  }

  /// What brings the decoded pixels to the size of the result.
  package var resampler: Resampler { Resampler(kernel: kernel, light: light) }

  /// Whether the decoded pixels are the result, but for their orientation.
  public var needsNoResampling: Bool {
    decodedSize == outputSize && region == PixelRegion(decodedSize)
  }
}
