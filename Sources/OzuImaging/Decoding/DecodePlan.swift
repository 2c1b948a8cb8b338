/// How a picture will be decoded, worked out from its header before any pixel memory is taken.
///
/// The decoder is asked for the smallest of its scales that still leaves the resampler twice as many pixels
/// as the result has on each side: block-wise reduction is a poor filter, and below that factor it shows.
///
/// Where the decoder can make planes instead (the header then has a `planeLayout`), `reduction` says how many of
/// their frequencies it keeps, or `averaging` how many samples become one. The way through pixels stays in the plan: a
/// decoder takes it when the file turns out otherwise than its header says.
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
  /// The most bytes that resampling takes beside what is decoded and the result.
  public let workingByteCount: Int
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
    let sufficient = scales.lazy.filter { eighths in
      let factor = Double(eighths) / 8
      return (1...8).contains(eighths) && storedRegion.width * factor >= Double(output.width) * Self.headroom
        && storedRegion.height * factor >= Double(output.height) * Self.headroom
    }
    let enough = light == .linear ? nil : sufficient.min()
    eighths = enough ?? 8
    let factor = Double(eighths) / 8
    let part = eighths
    // Rounded up; the product with the whole side could overflow.
    func reduced(_ side: Int) -> Int { side / 8 * part + (side % 8 * part + 7) / 8 }
    decodedSize = PixelSize(reduced(stored.width), reduced(stored.height))
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
    let resampler = Resampler(kernel: resize?.kernel ?? .lanczos3, light: light)
    if decodedSize == output, region == PixelRegion(decodedSize) {
      workingByteCount = 0
    } else {
      let pixels = resampler.workingByteCount(of: decodedSize, region: region, to: output)
      let planes = layout.map {
        resampler.workingByteCount(ofPlanes: $0, in: stored, region: storedRegion, to: output)
      }
      workingByteCount = max(pixels, reduction == nil && averaging == nil ? 0 : planes ?? 0)
    }
    outputSize = output
    orientation = header.orientation
    kernel = resampler.kernel
    self.light = light
  }

  /// What brings the decoded pixels to the size of the result.
  package var resampler: Resampler { Resampler(kernel: kernel, light: light) }

  /// The most bytes of pixels that exist at one time on the way from the file to the upright picture.
  ///
  /// Two sums, of which the larger counts: what is decoded, the memory of the resampler and its result; then that result
  /// and the copy that is converted or turned of it.
  func peakByteCount(_ header: ImageHeader, format: PixelFormat, _ context: DecodingContext) -> Int {
    let result = outputSize.bitmapByteCount(as: needsNoResampling ? format : .bgra8)
    let uprightSize = orientation.applied(to: outputSize)
    let decoded = reduction == nil ? decodedSize.bitmapByteCount(as: format) : decodedByteCount
    let resampling = decoded.saturatingSum(workingByteCount).saturatingSum(needsNoResampling ? 0 : result)
    let copying = result.saturatingSum(
      copiesResult(header, context)
        ? max(result, uprightSize.bitmapByteCount(as: needsNoResampling ? format : .bgra8)) : 0)
    return max(resampling, copying, decodedByteCount)
  }

  /// Whether a result is converted to sRGB or turned upright, each into memory of its own.
  func copiesResult(_ header: ImageHeader, _ context: DecodingContext) -> Bool {
    orientation != .up || (context.colorPolicy == .convertToSRGB && header.colorEncoding != nil)
  }

  /// Whether the decoded pixels are the result, but for their orientation.
  public var needsNoResampling: Bool {
    decodedSize == outputSize && region == PixelRegion(decodedSize)
  }
}
