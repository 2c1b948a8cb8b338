/// Sums across columns: from the sums of some rows to a row of means.
///
/// Unsafe pointers: see `RowAverager`.
extension RowAverager {
  func meansOfOneChannel<Sum: FixedWidthInteger & UnsignedInteger>(
    _ sums: UnsafeMutablePointer<Sum>, row: Int
  ) {
    let means = planes[0].samples.baseAddress! + row * planes[0].samplesPerRow
    let step = step.columns
    let whole = columns / step
    let factor = factor(columns: step)
    var x = 0
    for mean in 0..<whole {
      var sum: UInt32 = 0
      for _ in 0..<step {
        sum &+= UInt32(truncatingIfNeeded: sums[x])
        x &+= 1
      }
      means[mean] = self.mean(UInt64(sum), factor)
    }
    guard whole < meanColumns else { return }
    let rest = (x..<columns).reduce(UInt64(0)) { $0 + UInt64(sums[$1]) }
    means[whole] = mean(rest, self.factor(columns: columns - x))
  }

  func meansOfChannels(_ sums: UnsafeMutablePointer<UInt16>, row: Int) {
    // 257 samples of 255 fit into 16 bits. For the steps of most thumbnails, a constant step lets LLVM unroll the loop.
    let isNarrow = step.columns * step.rows <= 257
    switch (channels, isNarrow ? step.columns : 0) {
    case (3, 2): narrowMeans(sums, row, channels: 3, step: 2)
    case (3, 3): narrowMeans(sums, row, channels: 3, step: 3)
    case (3, 4): narrowMeans(sums, row, channels: 3, step: 4)
    case (3, 5): narrowMeans(sums, row, channels: 3, step: 5)
    case (3, 6): narrowMeans(sums, row, channels: 3, step: 6)
    case (3, 1...): narrowMeans(sums, row, channels: 3, step: step.columns)
    case (_, 1...): narrowMeans(sums, row, channels: 4, step: step.columns)
    default: means(sums, row: row, from: 0)
    }
  }

  /// Means of groups whose sums fit into 16 bits.
  @inline(__always)
  private func narrowMeans(_ sums: UnsafeMutablePointer<UInt16>, _ row: Int, channels: Int, step: Int) {
    let source = UnsafeRawPointer(sums)
    let offset = row * planes[0].samplesPerRow
    let (first, second, third, last) = (
      planes[0].samples.baseAddress! + offset, planes[1].samples.baseAddress! + offset,
      planes[2].samples.baseAddress! + offset, planes[channels - 1].samples.baseAddress! + offset
    )
    let whole = columns / step
    let factor = factor(columns: step)
    let pixelBytes = channels * 2
    var place = 0
    for mean in 0..<whole {
      var sum = source.loadUnaligned(fromByteOffset: place, as: SIMD4<UInt16>.self)
      for index in 1..<step {
        sum &+= source.loadUnaligned(fromByteOffset: place &+ index &* pixelBytes, as: SIMD4<UInt16>.self)
      }
      place &+= step &* pixelBytes
      first[mean] = self.mean(UInt64(sum[0]), factor)
      second[mean] = self.mean(UInt64(sum[1]), factor)
      third[mean] = self.mean(UInt64(sum[2]), factor)
      if channels == 4 { last[mean] = self.mean(UInt64(sum[3]), factor) }
    }
    means(sums, row: row, from: whole)
  }

  /// The means from `start` on, of groups of any size.
  private func means(_ sums: UnsafeMutablePointer<UInt16>, row: Int, from start: Int) {
    let source = UnsafeRawPointer(sums)
    let offset = row * planes[0].samplesPerRow
    let targets = planes.map { $0.samples.baseAddress! + offset }
    let whole = factor(columns: step.columns)
    let pixelBytes = channels * 2
    let step = step.columns
    var x = start * step
    for mean in start..<meanColumns {
      let count = min(step, columns - x)
      let factor = count == step ? whole : self.factor(columns: count)
      var sum = SIMD4<UInt32>.zero
      for _ in 0..<count {
        sum &+= SIMD4<UInt32>(
          truncatingIfNeeded: source.loadUnaligned(fromByteOffset: x &* pixelBytes, as: SIMD4<UInt16>.self))
        x &+= 1
      }
      for channel in 0..<channels { targets[channel][mean] = self.mean(UInt64(sum[channel]), factor) }
    }
  }
}
