/// Makes planes of rows of samples as they come, and of each square of samples their mean.
///
/// A filter that brings 4000 columns to 320 looks at each source sample six times, with weights that differ little
/// from one to the next. So what is reduced much is averaged first, to no less than 2.5 samples for each of the
/// result, and the filter does the rest: a fifth of the multiplications, and memory for the means instead of the
/// picture. Means keep the bits that `SamplePlane` has behind the point.
///
/// Rows are added up column by column in 16 bits, which LLVM makes SIMD of; sums across columns are taken once for
/// each group of rows.
///
/// Unsafe pointers. Why every index is in bounds: a row has `columns * channels` samples, which `add` checks; the sums have as many and some more, so that four channels can be read where there are three; the means go to
/// rows below `rowCount` of planes made for `meanColumns` columns.
public final class RowAverager {
  /// How many samples make one of a plane.
  public struct Step: Hashable, Sendable {
    /// In a row.
    public var columns: Int
    /// In a column.
    public var rows: Int

    /// Makes a step; both numbers are 1 to 128.
    public init(columns: Int, rows: Int) {
      precondition(1...RowAverager.longestStep ~= columns && 1...RowAverager.longestStep ~= rows, "a step")
      self.columns = columns
      self.rows = rows
    }
  }

  /// 128 rows of 255 fit 16 bits.
  public static let longestStep = 128

  /// The planes, one for each channel. Whole when as many rows were added as there are.
  public let planes: [SamplePlane]

  private let columns: Int
  private let rows: Int
  private let channels: Int
  private let step: Step
  private let scale: Double
  private let meanColumns: Int
  private let block: UnsafeMutableRawBufferPointer
  private let pool: PixelBufferPool
  /// The rows added so far, and those of them that are in the sums.
  private var addedRows = 0
  private var summedRows = 0

  /// Takes memory for the planes.
  ///
  /// - Parameters:
  ///   - size: the samples of a row, and the rows.
  ///   - channels: how many are interleaved in a row: 1, 3 or 4.
  ///   - step: how many samples make one.
  ///   - extentWidth: how far the picture reaches to the right, in samples; all of them by default.
  ///   - extentHeight: how far it reaches down.
  ///   - white: the sample that stands for 255.
  ///   - averaged: how many samples of the picture became one of these rows before; none by default.
  ///   - upsampled: for chroma, how many pixels a sample stands for: it is then as soft as a full decode makes it.
  ///   - pool: where the memory comes from.
  public init(
    size: PixelSize, channels: Int, step: Step, extentWidth: Double? = nil, extentHeight: Double? = nil,
    white: Double = 255, averaged: Step = Step(columns: 1, rows: 1),
    upsampled: PlaneLayout.ChromaStep? = nil, pool: PixelBufferPool
  ) {
    precondition(!size.isEmpty && [1, 3, 4].contains(channels), "rows have samples of 1, 3 or 4 channels")
    columns = size.width
    rows = size.height
    self.channels = channels
    self.step = step
    self.pool = pool
    scale = 255 / white * Double(1 << SamplePlane.fractionBits)
    meanColumns = (size.width + step.columns - 1) / step.columns
    let meanColumns = meanColumns
    let meanRows = (size.height + step.rows - 1) / step.rows
    let means = (columns: step.columns * averaged.columns, rows: step.rows * averaged.rows)
    planes = (0..<channels).map { _ in
      SamplePlane(
        columnCount: meanColumns, rowCount: meanRows,
        extentWidth: (extentWidth ?? Double(size.width)) / Double(step.columns),
        extentHeight: (extentHeight ?? Double(size.height)) / Double(step.rows),
        lift: .mean(columns: means.columns, rows: means.rows)
          + (upsampled.map {
            .upsampling($0, samples: (columns: Double(means.columns), rows: Double(means.rows)))
          } ?? .none), pool: pool)
    }
    // 32 bits a sum, for rows of 16-bit samples; those of bytes use half of it.
    block = pool.takeBlock(byteCount: (size.width * channels + 16) * 4)
  }

  deinit {
    pool.giveBack(block)
  }

  /// Whether there is nothing to average and nothing to scale.
  private var isPlainCopy: Bool {
    channels == 1 && step.columns == 1 && step.rows == 1 && scale == Double(1 << SamplePlane.fractionBits)
  }

  /// Adds the next row, of bytes.
  ///
  /// - Precondition: there are as many rows as announced, and each has as many samples.
  public func add(bytes row: Span<UInt8>) {
    precondition(addedRows < rows, "no more rows than announced")
    precondition(row.count == columns * channels, "a row of the announced samples")
    row.withUnsafeBufferPointer { add(bytes: $0.baseAddress!) }
  }

  private func add(bytes row: UnsafePointer<UInt8>) {
    if isPlainCopy {
      let target = planes[0].samples.baseAddress! + addedRows * planes[0].samplesPerRow
      for x in 0..<columns { target[x] = Int16(row[x]) &<< Int16(SamplePlane.fractionBits) }
      addedRows += 1
      return
    }
    let sums = block.baseAddress!.assumingMemoryBound(to: UInt16.self)
    let count = columns * channels
    let source = UnsafeRawPointer(row)
    let target = UnsafeMutableRawPointer(sums)
    let whole = count & ~15
    if summedRows == 0 {
      for x in stride(from: 0, to: whole, by: 16) {
        let value = SIMD16<UInt16>(
          truncatingIfNeeded: source.loadUnaligned(fromByteOffset: x, as: SIMD16<UInt8>.self))
        target.storeBytes(of: value, toByteOffset: 2 &* x, as: SIMD16<UInt16>.self)
      }
      for x in whole..<count { sums[x] = UInt16(row[x]) }
    } else {
      for x in stride(from: 0, to: whole, by: 16) {
        let value = SIMD16<UInt16>(
          truncatingIfNeeded: source.loadUnaligned(fromByteOffset: x, as: SIMD16<UInt8>.self))
        let sum = target.loadUnaligned(fromByteOffset: 2 &* x, as: SIMD16<UInt16>.self) &+ value
        target.storeBytes(of: sum, toByteOffset: 2 &* x, as: SIMD16<UInt16>.self)
      }
      for x in whole..<count { sums[x] &+= UInt16(row[x]) }
    }
    guard let meanRow = countRow() else { return }
    if channels == 1 {
      meansOfOneChannel(sums, row: meanRow)
    } else {
      meansOfChannels(sums, row: meanRow)
    }
    summedRows = 0
  }

  /// Adds the next row, of 16-bit samples of one channel.
  ///
  /// - Precondition: there are as many rows as announced, and each has as many samples.
  public func add(words row: Span<UInt16>) {
    precondition(addedRows < rows && channels == 1, "no more rows than announced, of one channel")
    precondition(row.count == columns, "a row of the announced samples")
    row.withUnsafeBufferPointer { add(words: $0.baseAddress!) }
  }

  private func add(words row: UnsafePointer<UInt16>) {
    let sums = block.baseAddress!.assumingMemoryBound(to: UInt32.self)
    if summedRows == 0 {
      for x in 0..<columns { sums[x] = UInt32(row[x]) }
    } else {
      for x in 0..<columns { sums[x] &+= UInt32(row[x]) }
    }
    guard let meanRow = countRow() else { return }
    meansOfOneChannel(sums, row: meanRow)
    summedRows = 0
  }

  /// Counts a row; the row of means that its group makes, when it is the last of that.
  private func countRow() -> Int? {
    addedRows += 1
    summedRows += 1
    return summedRows == step.rows || addedRows == rows ? (addedRows - 1) / step.rows : nil
  }

  /// The factor, with 32 bits behind the point, that makes the mean of the sum of so many columns.
  private func factor(columns: Int) -> UInt64 {
    UInt64(scale / Double(columns * summedRows) * 0x1p32)
  }

  @inline(__always)
  private func mean(_ sum: UInt64, _ factor: UInt64) -> Int16 {
    Int16(truncatingIfNeeded: (sum &* factor &+ 0x8000_0000) >> 32)
  }

  private func meansOfOneChannel<Sum: FixedWidthInteger & UnsignedInteger>(
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

  private func meansOfChannels(_ sums: UnsafeMutablePointer<UInt16>, row: Int) {
    let source = UnsafeRawPointer(sums)
    let offset = row * planes[0].samplesPerRow
    let targets = planes.map { $0.samples.baseAddress! + offset }
    let whole = factor(columns: step.columns)
    let pixelBytes = channels * 2
    let step = step.columns
    targets.withUnsafeBufferPointer { targets in
      var x = 0
      for mean in 0..<meanColumns {
        let count = min(step, columns - x)
        let factor = count == step ? whole : self.factor(columns: count)
        var sum = SIMD4<UInt32>.zero
        for _ in 0..<count {
          sum &+= SIMD4<UInt32>(
            truncatingIfNeeded: source.loadUnaligned(fromByteOffset: x &* pixelBytes, as: SIMD4<UInt16>.self))
          x &+= 1
        }
        for channel in 0..<channels {
          targets[channel][mean] = self.mean(UInt64(sum[channel]), factor)
        }
      }
    }
  }
}
