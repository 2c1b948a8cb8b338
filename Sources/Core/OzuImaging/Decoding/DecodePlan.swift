/// How a picture will be decoded. It is computed from the header before any memory for pixels is taken.
///
/// The decoder uses the smallest of its scales that leaves the resampler at least twice as many pixels as the
/// result has on each side. Reduction by blocks is a poor filter, and below that factor the difference is visible.
///
/// If the decoder can make planes instead (the header then has a `planeLayout`), `reduction` says how many of their
/// frequencies are decoded, or `averaging` how many samples become one. The plan always contains the pixel path as
/// fallback, for a file that turns out to differ from its header.
public struct DecodePlan: Hashable, Sendable {
  /// The eighths of each side that are decoded: 8 for the whole, 1 for an eighth.
  public let eighths: Int
  /// The size of the decoded picture, as stored, in pixels.
  public let decodedSize: PixelSize
  /// The region of the decoded picture that is shown, as stored.
  public let region: PixelRegion
  /// The region of the whole picture that is shown, as stored. In a plan for a part that was cut out of a file, the
  /// region of that part.
  public private(set) var sourceRegion: PixelRegion
  /// The part of the stored picture that is cut out of the file and decoded instead of the whole. Sizes and regions
  /// of the decoded picture are then those of the part. `nil` if the whole file is decoded.
  public private(set) var cut: PixelRectangle?
  /// The recipe, for making the plan without a cut.
  private let resize: Resize?
  /// The shown region in the picture that is decoded, at full scale.
  let storedRegion: PixelRegion
  /// The frequencies of each plane that are decoded; `nil` if the decoder makes pixels of `decodedSize`.
  package private(set) var reduction: PlaneReduction?
  /// The number of samples of each plane that become one while decoding; `nil` if the decoder makes pixels, or if
  /// there is a `reduction`.
  package private(set) var averaging: PlaneAveraging?
  /// The most bytes that the whole render takes at one time: buffers of the decoder and its library, the rows,
  /// pixels or planes that it makes, the resampler, the result, and the copies that are converted to sRGB and
  /// turned upright.
  ///
  /// It follows from the header, the recipe, the scales, the pixel formats and the demand of the file
  /// (`init(of:resize:context:)`). A plan without a file (`init(header:resize:scales:)`) assumes a decoder that
  /// takes only the bitmap or the planes. Not counted: the bytes of the file, the frames of an animation, and idle
  /// memory in a `PixelBufferPool`. A decode reserves this number (`DecodedByteBudget`), and
  /// `DecodingLimits.decodedByteCount` bounds it.
  public internal(set) var byteCount = 0
  /// The estimated size of the decoded pixels or planes in bytes, if all of them are in memory before they are
  /// resampled.
  public private(set) var decodedByteCount: Int
  /// The most bytes that resampling takes beside its input and its result.
  private(set) var workingByteCount: Int
  /// The same for the pixel path, in a plan with planes.
  private let pixelWorkingByteCount: Int
  /// The size of the result before it is turned upright.
  public let outputSize: PixelSize
  /// How the result is turned upright.
  public let orientation: Orientation
  /// The filter for resampling from the decoded size to the output size.
  public let kernel: ResamplingKernel
  /// The values in which pixels are weighted by the filter. Linear light needs all pixels, so there is no
  /// reduction.
  public let light: ResamplingLight

  /// The least number of decoded pixels for each pixel of the result, on each side.
  static let headroom = 2.0

  /// Plans a decode.
  ///
  /// - Parameters:
  ///   - header: of the file.
  ///   - resize: the recipe, for the upright picture; `nil` for the whole.
  ///   - scales: the eighths that the decoder offers, in any order; 8 is always assumed, numbers outside 1...8 are
  ///     ignored.
  public init(header: ImageHeader, resize: Resize?, scales: [Int] = [8]) {
    let geometry = ResizeGeometry(source: header.size, resize: resize)
    self.init(
      header: header, shown: header.orientation.storedRegion(geometry.region, stored: header.storedSize),
      output: header.orientation.applied(to: geometry.outputSize), resize: resize, scales: scales,
      mayCut: true)
  }

  /// - Parameters:
  ///   - shown: the region of the picture, as stored.
  ///   - output: the size of the result, as stored.
  init(
    header: ImageHeader, shown: PixelRegion, output: PixelSize, resize: Resize?, scales: [Int], mayCut: Bool
  ) {
    let cut = mayCut ? header.cut(around: shown, output: output, resize: resize) : nil
    let stored = cut?.size ?? header.storedSize
    let storedRegion = cut.map { shown.moved(x: -Double($0.x), y: -Double($0.y)) } ?? shown
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
    // Rounded up. The product with the whole side could overflow.
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
    // Means of a few samples begin at the edge of the decoded region, so parts that are made separately would show
    // seams.
    if let layout, let resize, reduction == nil, resize.region == nil {
      averaging = PlaneAveraging(
        layout: layout, region: storedRegion, output: output, kernel: resize.kernel)
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
    // Nothing is decoded in this context, so it does not ask for the processor time, which is a system call.
    byteCount = peakByteCount(header, format: .bgra8, DecodingContext(threadTime: { .zero }))
  }

  /// The same result from the file of the part that was cut out.
  package var onCut: DecodePlan {
    var plan = self
    plan.cut = nil
    plan.sourceRegion = storedRegion
    return plan
  }

  /// The same result from the whole file, for a file that cannot be cut.
  package func uncut(of file: any ImageFile, _ context: DecodingContext) -> DecodePlan {
    var plan = DecodePlan(
      header: file.header, shown: sourceRegion, output: outputSize, resize: resize, scales: file.scales,
      mayCut: false)
    plan.setPrice(for: file, context)
    return plan
  }

  /// The same result from a smaller rendition of the picture.
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

  /// Whether the result may be made from another rendition of the picture: a smaller one with the same proportions,
  /// except for rounding, and with as many pixels for each pixel of the result as a reduced decode must have: two
  /// on each side, or one for `DecodingQuality.fast`. More than one is needed because the filter that made the
  /// rendition is unknown.
  ///
  /// - Parameters:
  ///   - size: the size of the rendition, as stored.
  ///   - whole: the size of the picture, as stored.
  ///   - stretch: by what share the proportions may differ: that of the previews of a camera, which are rounded to
  ///     whole blocks.
  package func mayBegin(at size: PixelSize, of whole: PixelSize, stretch: Double = 0) -> Bool {
    guard let resize, light != .linear, kernel != .nearest, !size.isEmpty, !whole.isEmpty,
      size.width < whole.width, size.height < whole.height,
      size.hasAspect(of: whole) || size.hasAspect(of: whole, within: stretch)
    else { return false }
    let headroom = resize.quality == .fast ? 1 : Self.headroom
    return sourceRegion.width * Double(size.width) / Double(whole.width)
      >= Double(outputSize.width) * headroom
      && sourceRegion.height * Double(size.height) / Double(whole.height)
        >= Double(outputSize.height) * headroom
  }

  /// Whether reading stops at the lower edge of the shown region: a part was asked for, so errors below do not matter.
  var endsBehindRegion: Bool { resize?.region != nil }

  /// The same result from pixels at the plan's scale, for a plan that uses planes.
  var throughPixels: DecodePlan {
    var plan = self
    plan.reduction = nil
    plan.averaging = nil
    plan.decodedByteCount = decodedSize.bitmapByteCount(as: .bgra8)
    plan.workingByteCount = pixelWorkingByteCount
    return plan
  }

  /// The resampler from the decoded pixels to the size of the result.
  package var resampler: Resampler { Resampler(kernel: kernel, light: light) }

  /// Whether the decoded pixels are already the result, except for the orientation.
  public var needsNoResampling: Bool {
    decodedSize == outputSize && region == PixelRegion(decodedSize)
  }
}

extension ImageFile {
  /// Makes the result from a file of the part that the plan cuts out, or from the whole file if it cannot be cut.
  ///
  /// - Parameter part: that file; `nil` if there is none.
  /// - Throws: `ImageDecodingError`; `limitExceeded` if the whole takes too much memory.
  package func render(
    _ plan: DecodePlan, from part: (any ImageFile)?, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap {
    if let part { return try part.render(plan.onCut, context: context) }
    let whole = plan.uncut(of: self, context)
    try whole.checkPrice(for: self, context)
    try context.reserve(atLeast: whole.byteCount)
    return try render(whole, context: context)
  }
}
