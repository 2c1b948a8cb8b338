/// Brings bitmaps to another size.
///
/// A separable filter in two passes, with the cheaper order and integers throughout. Rows are read once, when
/// the window of the vertical filter reaches them, and what lies between the passes is a ring of as many rows
/// as that window, not a picture. Weights have 14 bits, the rows between the passes 6 fraction bits: results
/// differ from those of exact arithmetic by one step at most.
///
/// Values are filtered as they are stored unless linear light is asked for, and premultiplied, so that what is
/// transparent gives no colour to its surroundings.
public struct Resampler: Sendable {
  /// The filter.
  public let kernel: ResamplingKernel
  /// In which values pixels of bitmaps are weighed. Planes are always weighed as they are.
  public let light: ResamplingLight

  /// Makes a resampler.
  public init(kernel: ResamplingKernel = .lanczos3, light: ResamplingLight = .asStored) {
    self.kernel = kernel
    self.light = light
  }

  /// Shows `region` of a bitmap at `size`.
  ///
  /// Pixel `x` of `width` shows the stretch from `region.x + x * region.width / width` to
  /// `region.x + (x + 1) * region.width / width`, and so with rows. Near the edges of the region the filter
  /// looks beyond them, as it would in a resize of the whole picture; at the edges of the bitmap it is cut
  /// off. Where region and size agree to the pixel, pixels are copied.
  ///
  /// - Parameters:
  ///   - bitmap: the source; the result has its colour space and its opacity, and is `rgba16` where the source is, else
  ///     `bgra8`.
  ///   - region: the area that is shown, in pixels of the source. What lies outside the bitmap continues its
  ///     border.
  ///   - size: the size of the result in pixels.
  ///   - pool: where the memory of the result and of the rows between the passes comes from.
  /// - Precondition: the region is finite, its sides are positive and so are those of the size.
  /// - Complexity: O(source pixels × taps of one axis + result pixels × taps of the other); the taps are
  ///   2 × support × reduction, at most 256.
  public func resample(
    _ bitmap: Bitmap, region: PixelRegion, to size: PixelSize, pool: PixelBufferPool = .shared
  ) -> Bitmap {
    resample(bitmap, region: region, to: size, pool: pool) { () throws(Never) in }
  }

  /// The same, with a question every few rows whether to go on.
  ///
  /// - Throws: what `checkpoint` throws.
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

  /// The same for a picture whose rows a decoder hands out: what lies between it and the result is a window of rows.
  ///
  /// - Parameter readsToEnd: whether rows below the region are read, so that an error in any of them is thrown.
  /// - Throws: what the reader and `checkpoint` throw.
  func resample(
    _ reader: any PixelRowReading, region: PixelRegion, to size: PixelSize, readsToEnd: Bool = true,
    pool: PixelBufferPool,
    checkpoint: () throws(DecodingError) -> Void
  ) throws(DecodingError) -> Bitmap {
    let rows = PictureRows(reader, pool: pool)
    let bitmap = try resample(rows, region: region, to: size, pool: pool) { () throws(DecodingError) in
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

  /// Stops a program that asks for a part without edges.
  static func check(_ region: PixelRegion) {
    precondition(
      region.x.isFinite && region.y.isFinite && region.width.isFinite && region.height.isFinite,
      "a region has finite edges")
    precondition(region.width > 0 && region.height > 0, "a region has an area")
  }
}
