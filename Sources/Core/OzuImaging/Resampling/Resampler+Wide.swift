import OzuBase

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
    let step = curve == nil ? LightRows.step(region: region, to: size) : RowAverager.Step(columns: 1, rows: 1)
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
