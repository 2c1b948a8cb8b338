extension Resampler {
  /// Resamples a part of a picture in planes to `size`.
  ///
  /// Each plane is resampled directly from its own resolution: coarse chroma is not enlarged to the resolution of
  /// luma first. Colours are computed last, only for the pixels of the result.
  ///
  /// - Parameters:
  ///   - planes: the picture.
  ///   - region: the part that is shown, as fractions of the picture: all of it is `(0, 0, 1, 1)`.
  ///   - size: the size of the result in pixels.
  ///   - colorSpace: the colour space of the result.
  ///   - pool: the pool that memory for the result and for buffers comes from.
  /// - Precondition: the region is finite, its sides are positive and so are those of the size.
  /// - Complexity: as `resample(_:region:to:pool:)` for each plane.
  package func resample(
    _ planes: PlanarPicture, region: PixelRegion, to size: PixelSize, colorSpace: ColorSpaceTag = .sRGB,
    pool: PixelBufferPool = .shared
  ) -> Bitmap {
    resample(planes, region: region, to: size, colorSpace: colorSpace, pool: pool) { () throws(Never) in }
  }

  /// The same, with a call of `checkpoint` between bands of rows.
  ///
  /// - Throws: the errors of `checkpoint`.
  ///
  /// - Parameter format: `rgba16` is for luma and chroma, and keeps the bits of a `SamplePlane`; planes of colours
  ///   always give `bgra8`.
  package func resample<Failure: Error>(
    _ planes: PlanarPicture, region: PixelRegion, to size: PixelSize, format: PixelFormat = .bgra8,
    colorSpace: ColorSpaceTag = .sRGB, pool: PixelBufferPool, checkpoint: () throws(Failure) -> Void
  ) throws(Failure) -> Bitmap {
    if format == .rgba16, let conversion = WideYCbCrConversion(planes.content) {
      return try resample(
        planes.planes, format: format, isOpaque: true, region: region, to: size, colorSpace: colorSpace,
        pool: pool, checkpoint: checkpoint
      ) { samples, row in
        conversion.convert(
          samples, planeCount: Self.planeCount(width: size.width),
          to: row.assumingMemoryBound(to: SIMD4<UInt16>.self), width: size.width)
      }
    }
    return try resample(
      planes.planes, content: planes.content, region: region, to: size, colorSpace: colorSpace, pool: pool,
      checkpoint: checkpoint)
  }

  /// The number of rows of the result that are made in every plane before they become pixels.
  static let bandRows = 16

  /// The number of samples between the band of one plane and that of the next.
  private static func planeCount(width: Int) -> Int { PlaneRun.padded(width) * bandRows }

  /// Resamples a part of a picture whose components deliver their rows from top to bottom, one band of the result
  /// at a time.
  func resample<Failure: Error>(
    _ sources: [any SampleRowSource], content: PlanarPicture.Content, region: PixelRegion, to size: PixelSize,
    colorSpace: ColorSpaceTag, pool: PixelBufferPool, checkpoint: () throws(Failure) -> Void
  ) throws(Failure) -> Bitmap {
    Self.check(region)
    let merge = Self.merging(content, planeCount: Self.planeCount(width: size.width), width: size.width)
    return try resample(
      sources, format: .bgra8, isOpaque: content.isOpaque, region: region, to: size, colorSpace: colorSpace,
      pool: pool, checkpoint: checkpoint
    ) { samples, row in merge(samples, row.assumingMemoryBound(to: UInt32.self)) }
  }

  /// The same for any format: `merge` makes a row of pixels from the rows of the planes, which are `planeCount` samples apart.
  private func resample<Failure: Error>(
    _ sources: [any SampleRowSource], format: PixelFormat, isOpaque: Bool, region: PixelRegion,
    to size: PixelSize, colorSpace: ColorSpaceTag, pool: PixelBufferPool,
    checkpoint: () throws(Failure) -> Void,
    merge: (_ samples: UnsafeMutablePointer<Int16>, _ row: UnsafeMutableRawPointer) -> Void
  ) throws(Failure) -> Bitmap {
    let rowStride = PlaneRun.padded(size.width)
    let planeCount = Self.planeCount(width: size.width)
    let block = pool.takeBlock(byteCount: planeCount * sources.count * 2)
    defer { pool.giveBack(block) }
    let samples = block.bindMemory(to: Int16.self).baseAddress!
    let runs = sources.map { PlaneRun(source: $0, region: region, size: size, kernel: kernel, pool: pool) }
    return try Bitmap(
      size: size, format: format, isOpaque: isOpaque, colorSpace: colorSpace, pool: pool
    ) { (target, bytesPerRow) throws(Failure) in
      for top in stride(from: 0, to: size.height, by: Self.bandRows) {
        try checkpoint()
        let count = min(Self.bandRows, size.height - top)
        for (index, run) in runs.enumerated() { run.makeRows(count, to: samples + index * planeCount) }
        for y in 0..<count {
          merge(samples + y * rowStride, target.baseAddress! + (top + y) * bytesPerRow)
        }
      }
    }
  }

  /// The function that makes a row of pixels from the rows of the planes, which are `planeCount` samples apart and
  /// are overwritten.
  private static func merging(
    _ content: PlanarPicture.Content, planeCount: Int, width: Int
  ) -> (UnsafeMutablePointer<Int16>, UnsafeMutablePointer<UInt32>) -> Void {
    switch content {
    case .gray(let encoding):
      let conversion = YCbCrConversion(encoding)
      return { conversion.convert(luma: $0, to: $1, width: width) }
    case .yCbCr(let encoding):
      if let conversion = RoundedConversion(encoding) {
        return {
          conversion.convert(
            luma: $0, blue: $0 + planeCount, red: $0 + 2 * planeCount, to: $1, width: width)
        }
      }
      let conversion = YCbCrConversion(encoding)
      return {
        conversion.convert(
          luma: $0, blue: $0 + planeCount, red: $0 + 2 * planeCount, to: $1, width: width)
      }
    case .light(let isOpaque):
      return {
        LightTable.shared.merge(
          blue: $0, green: $0 + planeCount, red: $0 + 2 * planeCount,
          alpha: isOpaque ? nil : $0 + 3 * planeCount, to: $1, width: width)
      }
    case .opaqueColors, .premultipliedColors:
      let hasAlpha = content == .premultipliedColors
      return {
        ChannelMerging.merge(
          blue: $0, green: $0 + planeCount, red: $0 + 2 * planeCount,
          alpha: hasAlpha ? $0 + 3 * planeCount : nil, to: $1, width: width)
      }
    }
  }
}

/// Converts planes of blue, green, red and alpha to pixels.
///
/// Unsafe pointers: see `YCbCrConversion`, which uses the same rows.
enum ChannelMerging {
  /// Makes a row of pixels.
  ///
  /// - Parameters:
  ///   - alpha: `nil` for opaque pixels. Colours are limited to alpha, because filters can make them larger.
  ///   - width: the number of pixels; they are written in whole groups of four.
  static func merge(
    blue: UnsafePointer<Int16>, green: UnsafePointer<Int16>, red: UnsafePointer<Int16>,
    alpha: UnsafePointer<Int16>?, to pixels: UnsafeMutablePointer<UInt32>, width: Int
  ) {
    let most = SIMD4<Int32>(repeating: 255)
    for x in stride(from: 0, to: width, by: 4) {
      let alpha = alpha.map { byte($0, x, most) } ?? most
      let value =
        byte(blue, x, alpha) | byte(green, x, alpha) &<< SIMD4(repeating: 8)
        | byte(red, x, alpha) &<< SIMD4(repeating: 16) | alpha &<< SIMD4(repeating: 24)
      UnsafeMutableRawPointer(pixels + x).storeBytes(of: value, as: SIMD4<Int32>.self)
    }
  }

  @inline(__always)
  private static func byte(
    _ row: UnsafePointer<Int16>, _ x: Int, _ most: SIMD4<Int32>
  ) -> SIMD4<Int32> {
    let half = SIMD4<Int32>(repeating: 1 << Int32(SamplePlane.fractionBits - 1))
    let value =
      (YCbCrConversion.load(row, x) &+ half) &>> SIMD4(repeating: Int32(SamplePlane.fractionBits))
    return pointwiseMin(pointwiseMax(value, .zero), most)
  }
}
