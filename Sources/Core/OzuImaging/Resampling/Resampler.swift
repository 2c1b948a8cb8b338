import OzuBase

/// Resizes bitmaps.
///
/// A separable filter in two passes, in the cheaper order, with integers only. Rows are read once, when the window
/// of the vertical filter reaches them. Between the passes there is a ring of as many rows as that window has, not
/// a whole picture. Weights have 14 bits, the rows between the passes 6 fractional bits: results differ from exact
/// arithmetic by at most one step.
///
/// Values are filtered as stored unless linear light is asked for. They are premultiplied, so that transparent
/// pixels add no colour to their neighbours.
public struct Resampler: Sendable {
  /// The filter.
  public let kernel: ResamplingKernel
  /// The values in which pixels of bitmaps are weighted. Planes are always weighted as stored.
  public let light: ResamplingLight

  /// Makes a resampler.
  public init(kernel: ResamplingKernel = .lanczos3, light: ResamplingLight = .asStored) {
    self.kernel = kernel
    self.light = light
  }

  /// Resamples `region` of a bitmap to `size`.
  ///
  /// Pixel `x` of `width` shows the range from `region.x + x * region.width / width` to `region.x + (x + 1) *
  /// region.width / width`; the same holds for rows. Near the edges of the region the filter reads pixels beyond
  /// them, as in a resize of the whole picture; at the edges of the bitmap it is cut off. If region and size agree
  /// to the pixel, pixels are copied.
  ///
  /// - Parameters:
  ///   - bitmap: the source. The result has its colour space and its opacity, and is `rgba16` if the source is,
  ///     else `bgra8`.
  ///   - region: the part that is shown, in pixels of the source. Outside the bitmap, its border pixels are
  ///     repeated.
  ///   - size: the size of the result in pixels.
  ///   - pool: the pool that memory for the result and for the rows between the passes comes from.
  /// - Precondition: the region is finite, its sides are positive and so are those of the size.
  /// - Complexity: O(source pixels × taps of one axis + result pixels × taps of the other). The number of taps
  ///   is 2 × support × reduction, at most 256.
  public func resample(
    _ bitmap: Bitmap, region: PixelRegion, to size: PixelSize, pool: PixelBufferPool = .shared
  ) -> Bitmap {
    resample(bitmap, region: region, to: size, pool: pool) { () throws(Never) in }
  }

  /// The same, with a call of `checkpoint` every few rows.
  ///
  /// - Throws: the errors of `checkpoint`.
  package func resample<Failure: Error>(
    _ bitmap: Bitmap, region: PixelRegion, to size: PixelSize, pool: PixelBufferPool,
    checkpoint: () throws(Failure) -> Void
  ) throws(Failure) -> Bitmap {
    if bitmap.format == .rgba16 {
      return try resampleWide(bitmap, region: region, to: size, pool: pool, checkpoint: checkpoint)
    }
    return try resample(
      PictureRows(bitmap.converted(to: .bgra8, pool: pool), pool: pool), region: region, to: size, pool: pool,
      checkpoint: checkpoint)
  }

  /// The same for a picture whose decoder delivers rows: only a window of rows is in memory beside the result.
  ///
  /// - Parameter readsToEnd: whether the rows below the region are read too, so that an error in them is thrown.
  /// - Throws: the errors of the reader and of `checkpoint`.
  func resample(
    _ reader: any PixelRowReading, region: PixelRegion, to size: PixelSize, readsToEnd: Bool = true,
    pool: PixelBufferPool,
    checkpoint: () throws(ImageDecodingError) -> Void
  ) throws(ImageDecodingError) -> Bitmap {
    let rows = PictureRows(reader, pool: pool)
    let bitmap = try resample(rows, region: region, to: size, pool: pool) { () throws(ImageDecodingError) in
      try rows.check()
      try checkpoint()
    }
    if readsToEnd { try rows.finish() } else { try rows.check() }
    return bitmap
  }

  private func resample<Failure: Error>(
    _ rows: PictureRows, region: PixelRegion, to size: PixelSize, pool: PixelBufferPool,
    checkpoint: () throws(Failure) -> Void
  ) throws(Failure) -> Bitmap {
    Self.check(region)
    if light == .linear {
      return try resampleLight(of: rows, region: region, to: size, pool: pool, checkpoint: checkpoint)
    }
    let horizontal = ResamplingAxis(
      extent: rows.size.width, origin: region.x, length: region.width, count: size.width, kernel: kernel)
    let vertical = ResamplingAxis(
      extent: rows.size.height, origin: region.y, length: region.height, count: size.height, kernel: kernel)
    return try Bitmap(
      size: size, isOpaque: rows.isOpaque, colorSpace: rows.colorSpace, pool: pool
    ) { (target, bytesPerRow) throws(Failure) in
      let source = SourceRows(rows: rows, columnFactor: horizontal.factor, rowFactor: vertical.factor)
      let run = ResamplingRun(
        source: source, target: target, targetBytesPerRow: bytesPerRow, horizontal: horizontal,
        vertical: vertical, opacity: rows.isOpaque ? 0xFF00_0000 : 0, pool: pool)
      try run.execute(checkpoint: checkpoint)
    }
  }

  /// The blocks of pixels that are averaged before the filter.
  func averagingStep(region: PixelRegion, to size: PixelSize) -> RowAverager.Step {
    RowAverager.Step(region: region, output: size, kernel: kernel)
  }

  /// Stops the program if a region is not finite or is empty.
  static func check(_ region: PixelRegion) {
    precondition(
      region.x.isFinite && region.y.isFinite && region.width.isFinite && region.height.isFinite,
      "a region has finite edges")
    precondition(region.width > 0 && region.height > 0, "a region has an area")
  }
}

/// The values in which pixels are averaged.
public enum ResamplingLight: String, Hashable, Sendable, Codable, CaseIterable {
  /// The stored values, as in nearly all programs. Fast, and works with reduced decoding.
  case asStored
  /// Amounts of light: a fine pattern of black and white becomes the grey that one sees from a distance, which is
  /// lighter. The picture is decoded at full size, and dark lines on a light background become thinner.
  case linear
}

extension Resampler {
  /// Resamples amounts of light: each value is converted by the curve of sRGB before the filter, and back after it.
  ///
  /// The rows become 16-bit numbers, one plane for each colour, and are filtered like the planes of decoders, strip
  /// by strip (`LightRows`). In a plane, 255 is the full light, with the fractional bits of `SamplePlane`: the
  /// darkest values of sRGB are five steps apart.
  func resampleLight<Failure: Error>(
    of pixels: PictureRows, region: PixelRegion, to size: PixelSize, pool: PixelBufferPool,
    checkpoint: () throws(Failure) -> Void
  ) throws(Failure) -> Bitmap {
    let rows = LightRows(of: pixels, step: averagingStep(region: region, to: size), pool: pool)
    return try resample(
      PlaneStrips(rows, pool: pool).planes, content: .light(isOpaque: pixels.isOpaque),
      region: region.scaled(
        horizontal: 1 / Double(pixels.size.width), vertical: 1 / Double(pixels.size.height)),
      to: size, colorSpace: pixels.colorSpace, pool: pool, checkpoint: checkpoint)
  }
}

/// Resampling of 16-bit pixels.
///
/// The same two passes as for 8-bit pixels, but in floating point and always rows first. The filters are the same
/// tables, whose weights have 14 bits: results differ from exact arithmetic by at most 1/4096 between black and
/// white neighbours, and by one step of 16 bits in smooth areas. If the result is far smaller, blocks of stored
/// values are averaged first, and the filter compensates for the loss of fine detail (`DetailLift`), as for planes
/// of 8 bits.
extension Resampler {
  typealias WideSample = SIMD4<Float>

  /// Resamples `region` of a bitmap in `rgba16` to `size`, in the same format.
  func resampleWide<Failure: Error>(
    _ bitmap: Bitmap, region: PixelRegion, to size: PixelSize, pool: PixelBufferPool,
    checkpoint: () throws(Failure) -> Void
  ) throws(Failure) -> Bitmap {
    Self.check(region)
    let curve = light == .linear ? LightCurve.of(bitmap.colorSpace) : nil
    // Only stored values are averaged: amounts of light must be exact for the finest pattern too.
    let step = curve == nil ? averagingStep(region: region, to: size) : RowAverager.Step(columns: 1, rows: 1)
    let lift = DetailLift.mean(columns: step.columns, rows: step.rows)
    let horizontal = WideAxis(
      extent: bitmap.size.width, origin: region.x, length: region.width, count: size.width, kernel: kernel,
      step: step.columns, lift: lift.horizontal)
    let vertical = WideAxis(
      extent: bitmap.size.height, origin: region.y, length: region.height, count: size.height, kernel: kernel,
      step: step.rows, lift: lift.vertical)
    let run = WideRun(
      bitmap: bitmap, horizontal: horizontal, vertical: vertical,
      curve: curve, pool: pool)
    return try Bitmap(
      size: size, format: .rgba16, isOpaque: bitmap.isOpaque, colorSpace: bitmap.colorSpace, pool: pool
    ) { (target, bytesPerRow) throws(Failure) in
      try run.execute(to: target, bytesPerRow: bytesPerRow, checkpoint: checkpoint)
    }
  }

  /// The most bytes that `resampleWide` takes beside source and result.
  func wideWorkingByteCount(of source: PixelSize, region: PixelRegion, to size: PixelSize) -> Int {
    let across = FilterDemand(
      extent: Double(source.width), length: region.width, count: size.width, kernel: kernel)
    let down = FilterDemand(
      extent: Double(source.height), length: region.height, count: size.height, kernel: kernel)
    let samples = Double(source.width + 8) * 2 + Double(size.width) * (2 * down.pairsPerSample + 2)
    let tables = 3 * (across.tableByteCount + down.tableByteCount)
    return Int(clamping: tables).saturatingSum(
      Self.blockByteCount(samples * Double(MemoryLayout<WideSample>.stride)))
  }
}
