import OzuBase

extension DecodePlan {
  /// Plans the decode of a file, and computes the memory that all of it takes (`byteCount`).
  ///
  /// - Parameters:
  ///   - file: its header, scales and demand are used.
  ///   - resize: the recipe, for the upright picture; `nil` for the whole.
  ///   - context: its pixel formats and colour policy are used.
  public init(of file: any ImageFile, resize: Resize?, context: DecodingContext) {
    self.init(drawingOf: file.header, resize: resize, scales: file.scales)
    setPrice(for: file, context)
    // A library makes all its planes at once. Where they are over the limits, the pixels of tiles need not be.
    if averaging != nil, !isAllowed(for: file, context) {
      let pixels = throughPixels(of: file, context)
      if pixels.isAllowed(for: file, context) { self = pixels }
    }
  }

  private func isAllowed(for file: any ImageFile, _ context: DecodingContext) -> Bool {
    (try? checkPrice(for: file, context)) != nil
  }

  /// The plan for a file whose planes cannot be used: the same result from pixels, with a `byteCount` of its own.
  func throughPixels(of file: any ImageFile, _ context: DecodingContext) -> DecodePlan {
    var plan = throughPixels
    plan.setPrice(for: file, context)
    return plan
  }

  mutating func setPrice(for file: any ImageFile, _ context: DecodingContext) {
    byteCount = price(for: file, context)
  }

  /// The memory that the decode takes in a context, in bytes.
  func price(for file: any ImageFile, _ context: DecodingContext) -> Int {
    peakByteCount(
      file.header, format: pixelFormat(of: file.header, context), context,
      demand: file.demand(of: self, context: context))
  }

  /// Checks the sides of the result, the memory that the decode takes, and the pixels of the file unless they are decoded piece by piece.
  ///
  /// - Throws: `limitExceeded`.
  package func checkPrice(for file: any ImageFile, _ context: DecodingContext) throws(ImageDecodingError) {
    let pixelCount = file.header.storedSize.pixelCount
    if pixelCount > context.limits.pixelCount, !file.demand(of: self, context: context).isPiecewise {
      try context.limits.checkPixelCount(pixelCount)
    }
    try context.limits.checkSide(of: outputSize)
    try context.limits.checkDecodedByteCount(byteCount)
  }

  /// The format of the decoded pixels and of the result. A picture that is resized is not grey any more.
  package func pixelFormat(of header: ImageHeader, _ context: DecodingContext) -> PixelFormat {
    let format = header.pixelFormat(under: context.pixelFormats)
    return needsNoResampling || format == .rgba16 ? format : .bgra8
  }

  /// Whether the planes of a reduction are made in strips while they are resampled.
  package func makesStrips(_ header: ImageHeader, _ context: DecodingContext) -> Bool {
    makesStrips(header, pixelFormat(of: header, context))
  }

  private func makesStrips(_ header: ImageHeader, _ format: PixelFormat) -> Bool {
    reduction != nil && header.planeLayout?.stripRows != nil && format != .rgba16
  }

  /// The bytes of planes, or of the strips of them that are in memory at one time.
  private func planesByteCount(_ header: ImageHeader, _ format: PixelFormat) -> Int {
    guard makesStrips(header, format), let reduction, let layout = header.planeLayout else {
      return decodedByteCount
    }
    let strips = resampler.stripsByteCount(
      luma: reduction.luma, chroma: reduction.chroma, layout: layout, stored: cut?.size ?? header.storedSize,
      region: storedRegion, to: outputSize)
    return min(strips, decodedByteCount)
  }

  /// The most bytes that exist at one time on the way from the file to the upright picture.
  ///
  /// It is the largest of three sums: the decoder, with the pixels or planes that it makes; these pixels or planes,
  /// the memory of the resampler and its result; that result and the copies of it that are converted or turned. If
  /// rows go from the decoder to the resampler one by one, the first two sums become one.
  package func peakByteCount(
    _ header: ImageHeader, format: PixelFormat, _ context: DecodingContext, demand: DecodingDemand = .init()
  ) -> Int {
    let result = outputSize.bitmapByteCount(as: format)
    let copying = demand.keptByteCount.saturatingSum(result)
      .saturatingSum(copiesByteCount(header, format: format, context))
    let decoding: Int
    let kept: Int
    if reduction != nil || averaging != nil {
      // And the sums of one row for each plane (`RowAverager`).
      let planes = planesByteCount(header, format).saturatingSum(
        Int(clamping: 16 * Double(decodedSize.width)))
      decoding = demand.byteCount.saturatingSum(planes)
      kept = demand.keptByteCount.saturatingSum(planes)
    } else if demand.deliversRows, !needsNoResampling, format != .rgba16 {
      decoding = demand.byteCount.saturatingSum(PictureRows.byteCount(width: decodedSize.width))
      kept = decoding
    } else {
      decoding = demand.byteCount.saturatingSum(decodedSize.bitmapByteCount(as: format))
      kept = demand.keptByteCount.saturatingSum(decodedSize.bitmapByteCount(as: format))
    }
    let isWide = format == .rgba16 && reduction == nil && averaging == nil
    let working =
      isWide
      ? resampler.wideWorkingByteCount(of: decodedSize, region: region, to: outputSize)
      : workingByteCount
    let resampling = needsNoResampling ? 0 : kept.saturatingSum(working).saturatingSum(result)
    return max(decoding, resampling, copying)
  }

  /// The memory for converting colours in 16 bits before pixels are rounded to 8 (`WideConversion`): a bitmap as
  /// decoded, a converted one, and one of 8 bits that is resampled.
  func widePeakByteCount(_ header: ImageHeader, _ context: DecodingContext, demand: DecodingDemand) -> Int {
    let wide = decodedSize.bitmapByteCount(as: .rgba16)
    let narrow = decodedSize.bitmapByteCount(as: .bgra8)
    let result = outputSize.bitmapByteCount(as: .bgra8)
    let resampling = narrow.saturatingSum(workingByteCount).saturatingSum(needsNoResampling ? 0 : result)
    let copying = result.saturatingSum(copiesByteCount(header, format: .bgra8, context))
    return max(
      demand.byteCount.saturatingSum(wide),
      demand.keptByteCount.saturatingSum(max(wide.saturatingSum(wide), resampling, copying)))
  }

  /// The copies of the result: first one in sRGB, then one that is turned upright, after which the first is freed.
  /// At any time only one exists beside the bitmap that it is made from.
  private func copiesByteCount(
    _ header: ImageHeader, format: PixelFormat, _ context: DecodingContext
  ) -> Int {
    guard copiesResult(header, context) else { return 0 }
    // After a quarter turn, rows have another padding.
    let upright = orientation.applied(to: outputSize)
    return max(outputSize.bitmapByteCount(as: format), upright.bitmapByteCount(as: format))
  }

  /// Whether a result is converted to sRGB or turned upright; each needs a bitmap of its own.
  func copiesResult(_ header: ImageHeader, _ context: DecodingContext) -> Bool {
    orientation != .up || (header.colorEncoding != nil && context.colorPolicy.converts(header))
  }
}
