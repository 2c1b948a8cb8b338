extension DecodePlan {
  /// Plans the decode of a file, and works out what all of it takes (`byteCount`).
  ///
  /// - Parameters:
  ///   - file: whose header, scales and demand count.
  ///   - resize: the recipe, for the upright picture; `nil` for the whole.
  ///   - context: whose pixel formats and colour policy count.
  public init(of file: any ImageFile, resize: Resize?, context: DecodingContext) {
    self.init(drawingOf: file.header, resize: resize, scales: file.scales)
    setPrice(for: file, context)
  }

  /// The plan for a file whose planes cannot be used: the same result from pixels, with its own price.
  func throughPixels(of file: any ImageFile, _ context: DecodingContext) -> DecodePlan {
    var plan = throughPixels
    plan.setPrice(for: file, context)
    return plan
  }

  mutating func setPrice(for file: any ImageFile, _ context: DecodingContext) {
    byteCount = price(for: file, context)
  }

  /// What all of it takes in a context.
  func price(for file: any ImageFile, _ context: DecodingContext) -> Int {
    peakByteCount(
      file.header, format: pixelFormat(of: file.header, context), context,
      demand: file.demand(of: self, context: context))
  }

  /// The format of the pixels of a decode, and of its result: what is resized is grey no longer.
  package func pixelFormat(of header: ImageHeader, _ context: DecodingContext) -> PixelFormat {
    let format = header.pixelFormat(under: context.pixelFormats)
    return needsNoResampling || format == .rgba16 ? format : .bgra8
  }

  /// The most bytes that exist at one time on the way from the file to the upright picture.
  ///
  /// Three sums, of which the largest counts: the decoder and the pixels or planes it makes; these, the memory of the
  /// resampler and its result; that result and the copies that are converted or turned of it. Where rows go from the
  /// decoder to the resampler one by one, the first two are one.
  func peakByteCount(
    _ header: ImageHeader, format: PixelFormat, _ context: DecodingContext, demand: DecodingDemand = .init()
  ) -> Int {
    let result = outputSize.bitmapByteCount(as: format)
    let copying = demand.keptByteCount.saturatingSum(result)
      .saturatingSum(copiesByteCount(header, format: format, context))
    let decoding: Int
    let kept: Int
    if reduction != nil || averaging != nil {
      // And the sums of a row for each plane (`RowAverager`).
      let planes = decodedByteCount.saturatingSum(Int(clamping: 16 * Double(decodedSize.width)))
      decoding = demand.byteCount.saturatingSum(planes)
      kept = demand.keptByteCount.saturatingSum(planes)
    } else if demand.handsOutRows, !needsNoResampling, format != .rgba16 {
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

  /// The price of the way through 16 bits, on which colours are converted before pixels are cut to 8 (`WideConversion`):
  /// a bitmap as decoded, one converted, and one of 8 bits that is resampled.
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

  /// What is made of the result: a copy in sRGB, then one that is turned upright, of which the former is gone by the end.
  /// Only one is there beside what it is made of.
  private func copiesByteCount(
    _ header: ImageHeader, format: PixelFormat, _ context: DecodingContext
  ) -> Int {
    guard copiesResult(header, context) else { return 0 }
    // A quarter turn pads the other side.
    let upright = orientation.applied(to: outputSize)
    return max(outputSize.bitmapByteCount(as: format), upright.bitmapByteCount(as: format))
  }

  /// Whether a result is converted to sRGB or turned upright, each into memory of its own.
  func copiesResult(_ header: ImageHeader, _ context: DecodingContext) -> Bool {
    orientation != .up || (header.colorEncoding != nil && context.colorPolicy.converts(header))
  }
}
