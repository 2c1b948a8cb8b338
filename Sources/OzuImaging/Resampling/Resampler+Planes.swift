extension Resampler {
  /// Shows a part of a picture that is still in planes at `size`, as opaque pixels.
  ///
  /// Each plane goes to the size of the result on its own, from the resolution it has: coarse chroma is not
  /// first enlarged to that of luma. Colours are made at the end, of as many pixels as the result has.
  ///
  /// - Parameters:
  ///   - planes: the picture.
  ///   - region: the area that is shown, in fractions of the picture: all of it is `(0, 0, 1, 1)`.
  ///   - size: the size of the result in pixels.
  ///   - colorSpace: what the colours mean.
  ///   - pool: where the memory of the result and of what lies between comes from.
  /// - Precondition: the region is finite, its sides are positive and so are those of the size.
  /// - Complexity: as `resample(_:region:to:pool:)` for each plane.
  public func resample(
    _ planes: PlanarPicture, region: PixelRegion, to size: PixelSize, colorSpace: ColorSpaceTag = .sRGB,
    pool: PixelBufferPool = .shared
  ) -> Bitmap {
    precondition(
      region.x.isFinite && region.y.isFinite && region.width.isFinite && region.height.isFinite,
      "a region has finite edges")
    precondition(region.width > 0 && region.height > 0, "a region has an area")
    let sources = [planes.luma] + (planes.chroma.map { [$0.blue, $0.red] } ?? [])
    let rowStride = PlaneRun.padded(size.width)
    let planeCount = rowStride * size.height
    let block = pool.takeBlock(byteCount: planeCount * sources.count * 2)
    defer { pool.giveBack(block) }
    let samples = block.bindMemory(to: Int16.self).baseAddress!
    for (index, plane) in sources.enumerated() {
      let run = PlaneRun(plane: plane, region: region, size: size, kernel: kernel, pool: pool)
      run.execute(to: samples + index * planeCount)
    }
    return Bitmap(size: size, isOpaque: true, colorSpace: colorSpace, pool: pool) { target, bytesPerRow in
      for y in 0..<size.height {
        let pixels = (target.baseAddress! + y * bytesPerRow).assumingMemoryBound(to: UInt32.self)
        let luma = samples + y * rowStride
        if sources.count == 3 {
          YCbCrConversion.convert(
            luma: luma, blue: luma + planeCount, red: luma + 2 * planeCount, to: pixels, width: size.width)
        } else {
          YCbCrConversion.convert(luma: luma, to: pixels, width: size.width)
        }
      }
    }
  }
}
