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
  /// The area of the whole picture that is shown, as stored. Of a plan for a file that was cut out, the area of that file.
  public private(set) var sourceRegion: PixelRegion
  /// The part of the stored picture that is cut out of the file, and then decoded in place of the whole: sizes and areas of
  /// what is decoded are those of the part. `nil` where the whole file is decoded.
  public private(set) var cut: PixelRectangle?
  /// The recipe, for the plan without a cut.
  private let resize: Resize?
  /// The shown area in what is decoded, at its full scale.
  private let storedRegion: PixelRegion
  /// The eighths at which planes are decoded; `nil` where the decoder makes pixels of `decodedSize`.
  public private(set) var reduction: PlaneReduction?
  /// The samples of planes that become one while they are decoded; `nil` where the decoder makes pixels, or has a
  /// `reduction`.
  public private(set) var averaging: PlaneAveraging?
  /// The most bytes that the whole render takes at one time: buffers of the decoder and its library, the rows, pixels or
  /// planes that it makes, the resampler, the result, and the copies that are converted to sRGB and turned upright.
  ///
  /// It follows from the header, the recipe, the scales, the pixel formats and the demand of the file
  /// (`init(of:resize:context:)`); without a file, as after `init(header:resize:scales:)`, it is that of a decoder which
  /// takes nothing beside the bitmap or the planes that it makes. The bytes of the file are not counted, nor are the
  /// frames of an animation, nor idle memory in a `PixelBufferPool`. This is what a decode reserves
  /// (`DecodedByteBudget`), and what `DecodingLimits.decodedByteCount` bounds.
  public internal(set) var byteCount = 0
  /// About the bytes of the pixels or planes that are decoded, where all of them are in memory before they are resampled.
  public private(set) var decodedByteCount: Int
  /// The most bytes that resampling takes beside what is decoded and the result.
  private(set) var workingByteCount: Int
  /// The same for pixels, where there are planes.
  private let pixelWorkingByteCount: Int
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
    let geometry = ResizeGeometry(source: header.size, resize: resize)
    self.init(
      header: header, shown: header.orientation.storedRegion(geometry.region, stored: header.storedSize),
      output: header.orientation.applied(to: geometry.outputSize), resize: resize, scales: scales,
      mayCut: true)
  }

  /// - Parameters:
  ///   - shown: the area of the picture, as stored.
  ///   - output: the size of the result, as stored.
  private init(
    header: ImageHeader, shown: PixelRegion, output: PixelSize, resize: Resize?, scales: [Int], mayCut: Bool
  ) {
    let cut = mayCut ? header.cut(around: shown, output: output, resize: resize) : nil
    let stored = cut?.size ?? header.storedSize
    let storedRegion = cut.map { shown.moved(left: $0.x, up: $0.y) } ?? shown
    let light = resize?.light ?? .asStored
    self.cut = cut
    self.resize = resize
    self.storedRegion = storedRegion
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
    sourceRegion = shown
    let layout = resize == nil || light == .linear ? nil : header.planeLayout
    reduction = layout.flatMap {
      PlaneReduction(
        layout: $0, isProgressive: header.isProgressive, region: storedRegion, output: output,
        quality: resize?.quality ?? .balanced)
    }
    // Means of a few samples begin at the edge of what is decoded, so that parts made one by one would have seams.
    if let layout, reduction == nil, resize?.region == nil {
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
      pixelWorkingByteCount = 0
    } else {
      pixelWorkingByteCount = resampler.workingByteCount(of: decodedSize, region: region, to: output)
    }
    if let layout, reduction != nil || averaging != nil {
      workingByteCount = resampler.workingByteCount(
        ofPlanes: layout, in: stored, region: storedRegion, to: output)
    } else {
      workingByteCount = pixelWorkingByteCount
    }
    outputSize = output
    orientation = header.orientation
    kernel = resampler.kernel
    self.light = light
    // Nothing is decoded in this context, so its processor time, which is a system call, is nobody's concern.
    byteCount = peakByteCount(header, format: .bgra8, DecodingContext(threadTime: { .zero }))
  }

  /// The same result out of the file that was cut out.
  package var onCut: DecodePlan {
    var plan = self
    plan.cut = nil
    plan.sourceRegion = storedRegion
    return plan
  }

  /// The same result out of the whole file, for one that cannot be cut.
  package func uncut(of file: any ImageFile, _ context: DecodingContext) -> DecodePlan {
    var plan = DecodePlan(
      header: file.header, shown: sourceRegion, output: outputSize, resize: resize, scales: file.scales,
      mayCut: false)
    plan.setPrice(for: file, context)
    return plan
  }

  /// The same result out of a smaller rendition of the picture.
  ///
  /// - Parameter whole: the size of the picture that the plan was made for, as stored.
  init(
    _ plan: DecodePlan, of smaller: any ImageFile, inPlaceOf whole: PixelSize, context: DecodingContext
  ) {
    let size = smaller.header.storedSize
    let shown = plan.sourceRegion.scaled(
      horizontal: Double(size.width) / Double(whole.width),
      vertical: Double(size.height) / Double(whole.height))
    self.init(
      header: smaller.header, shown: shown, output: plan.outputSize, resize: plan.resize,
      scales: smaller.scales, mayCut: true)
    setPrice(for: smaller, context)
  }

  /// Whether the result may be made of another rendition of the picture: one with fewer pixels and the same proportions, but for
  /// the rounding of its sides, and with as many as a reduced decode must have for each pixel of the result: two on each side,
  /// and one where `DecodingQuality.fast` is asked for. Renditions were made by filters that nobody knows.
  ///
  /// - Parameters:
  ///   - size: of the rendition, as stored.
  ///   - whole: of the picture, as stored.
  package func mayBegin(at size: PixelSize, of whole: PixelSize) -> Bool {
    guard let resize, light != .linear, !size.isEmpty, !whole.isEmpty, size.width < whole.width,
      size.height < whole.height, size.hasAspect(of: whole)
    else { return false }
    let headroom = resize.quality == .fast ? 1 : Self.headroom
    return sourceRegion.width * Double(size.width) / Double(whole.width)
      >= Double(outputSize.width) * headroom
      && sourceRegion.height * Double(size.height) / Double(whole.height)
        >= Double(outputSize.height) * headroom
  }

  /// Whether what lies below the shown area is not read: a part was asked for, and errors elsewhere are no concern of it.
  var endsBehindRegion: Bool { resize?.region != nil }

  /// The same result from pixels at the plan's scale, where it was to be made of planes.
  var throughPixels: DecodePlan {
    var plan = self
    plan.reduction = nil
    plan.averaging = nil
    plan.decodedByteCount = decodedSize.bitmapByteCount(as: .bgra8)
    plan.workingByteCount = pixelWorkingByteCount
    return plan
  }

  /// What brings the decoded pixels to the size of the result.
  package var resampler: Resampler { Resampler(kernel: kernel, light: light) }

  /// Whether the decoded pixels are the result, but for their orientation.
  public var needsNoResampling: Bool {
    decodedSize == outputSize && region == PixelRegion(decodedSize)
  }
}
