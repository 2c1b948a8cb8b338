import OzuBase

/// Averages squares of samples into planes, from rows that are added one by one.
///
/// A filter from 4000 columns to 320 reads each source sample six times, with weights that differ little between
/// neighbours. So a picture that is reduced much is averaged first, to no less than 2.5 samples for each of the
/// result, and the filter does the rest: a fifth of the multiplications, and memory for the means instead of the
/// picture. Means keep the fractional bits of `SamplePlane`.
///
/// Rows are added column by column in 16 bits, which LLVM vectorises; sums across columns are computed once for
/// each group of rows.
///
/// Unsafe pointers. Why every index is in bounds: a row has `columns * channels` samples, which `add` checks;
/// `sums` is padded, so that reading four channels of a row with three stays in bounds; the means go to rows below
/// `rowCount` of planes made for `meanColumns` columns.
package final class RowAverager {
  /// How many samples become one sample of a plane.
  package struct Step: Hashable, Sendable {
    /// In a row.
    package var columns: Int
    /// In a column.
    package var rows: Int

    /// Makes a step; both numbers are 1 to 128.
    package init(columns: Int, rows: Int) {
      precondition(1...RowAverager.longestStep ~= columns && 1...RowAverager.longestStep ~= rows, "a step")
      self.columns = columns
      self.rows = rows
    }

    /// The largest step that leaves the filter two and a half samples for each sample of the result: with fewer, the averaging is
    /// visible. `nearest` mixes no samples, and the mean of a box that ends inside of a block is not that of the blocks.
    ///
    /// - Parameters:
    ///   - region: the part that is shown, in samples.
    ///   - output: the size at which it is shown.
    init(region: PixelRegion, output: PixelSize, kernel: ResamplingKernel) {
      func count(_ origin: Double, _ ratio: Double) -> Int {
        let most = min(max(1, Int(clamping: ratio / 2.5)), RowAverager.longestStep)
        func fits(_ step: Int) -> Bool {
          origin.remainder(dividingBy: Double(step)) == 0 && ratio.remainder(dividingBy: Double(step)) == 0
        }
        return switch kernel {
        case .nearest: 1
        case .box: (1...most).last(where: fits) ?? 1
        default: most
        }
      }
      self.init(
        columns: count(region.x, region.width / Double(output.width)),
        rows: count(region.y, region.height / Double(output.height)))
    }
  }

  /// The sum of 128 rows of 255 fits into 16 bits.
  package static let longestStep = 128

  /// The planes, one for each channel. Complete when all rows were added.
  package let planes: [SamplePlane]

  let columns: Int
  let rows: Int
  let channels: Int
  let step: Step
  private let scale: Double
  let meanColumns: Int
  private let block: UnsafeMutableRawBufferPointer
  private let pool: PixelBufferPool
  /// The number of rows added so far, and of rows in the current sums.
  private var addedRows = 0
  private var summedRows = 0

  /// Takes memory for the planes.
  ///
  /// - Parameters:
  ///   - size: the number of samples in a row, and the number of rows.
  ///   - channels: how many channels are interleaved in a row: 1, 3 or 4.
  ///   - step: how many samples become one.
  ///   - extentWidth: the width of the picture in samples; by default that of the rows.
  ///   - extentHeight: the height of the picture in samples.
  ///   - white: the sample that becomes 255.
  ///   - upsampled: for chroma, how many pixels a sample covers: the result is then as soft as in a full decode.
  ///   - pool: the pool that the memory comes from.
  package init(
    size: PixelSize, channels: Int, step: Step, extentWidth: Double? = nil, extentHeight: Double? = nil,
    white: Double = 255, upsampled: PlaneLayout.ChromaStep? = nil, pool: PixelBufferPool
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
    planes = (0..<channels).map { _ in
      SamplePlane(
        columnCount: meanColumns, rowCount: meanRows,
        extentWidth: (extentWidth ?? Double(size.width)) / Double(step.columns),
        extentHeight: (extentHeight ?? Double(size.height)) / Double(step.rows),
        lift: .mean(columns: step.columns, rows: step.rows)
          + (upsampled.map {
            .upsampling($0, samples: (columns: Double(step.columns), rows: Double(step.rows)))
          } ?? .none), pool: pool)
    }
    // 32 bits for each sum, for rows of 16-bit samples; rows of bytes use half of it.
    block = pool.takeBlock(byteCount: (size.width * channels + 16) * 4)
  }

  deinit {
    pool.giveBack(block)
  }

  /// Whether samples are copied without averaging or scaling.
  private var isPlainCopy: Bool {
    channels == 1 && step.columns == 1 && step.rows == 1 && scale == Double(1 << SamplePlane.fractionBits)
  }

  /// Adds the next row of bytes.
  ///
  /// - Precondition: there are no more rows than announced, and each has the announced number of samples.
  package func add(bytes row: Span<UInt8>) {
    precondition(addedRows < rows, "no more rows than announced")
    precondition(row.count == columns * channels, "a row of the announced samples")
    row.withUnsafeBufferPointer { add(bytes: $0.baseAddress!, stride: row.count, rows: 1) }
  }

  /// Adds the next rows of bytes, which begin `stride` bytes apart: faster than one by one, since sums stay in registers.
  ///
  /// The caller keeps the memory: each row has the announced number of samples.
  ///
  /// - Precondition: there are no more rows than announced.
  package func add(bytes start: UnsafePointer<UInt8>, stride: Int, rows count: Int) {
    precondition(count <= rows - addedRows, "no more rows than announced")
    var (row, rest) = (start, count)
    while rest > 0 {
      let number = isPlainCopy ? 1 : min(rest, step.rows - summedRows, 5)
      if isPlainCopy {
        copy(row)
      } else {
        // A constant number lets LLVM unroll the loop over rows.
        switch number {
        case 1: sum(row, stride, rows: 1)
        case 2: sum(row, stride, rows: 2)
        case 3: sum(row, stride, rows: 3)
        case 4: sum(row, stride, rows: 4)
        default: sum(row, stride, rows: 5)
        }
        finish(number)
      }
      row += number * stride
      rest -= number
    }
  }

  private func copy(_ row: UnsafePointer<UInt8>) {
    let target = planes[0].samples.baseAddress! + addedRows * planes[0].samplesPerRow
    for x in 0..<columns { target[x] = Int16(row[x]) &<< Int16(SamplePlane.fractionBits) }
    addedRows += 1
  }

  /// Adds rows to the sums, or makes them the sums if they are the first rows of a mean.
  @inline(__always)
  private func sum(_ row: UnsafePointer<UInt8>, _ stride: Int, rows number: Int) {
    let sums = block.baseAddress!.assumingMemoryBound(to: UInt16.self)
    let count = columns * channels
    let source = UnsafeRawPointer(row)
    let target = UnsafeMutableRawPointer(sums)
    let isFirst = summedRows == 0
    let whole = count & ~15
    for x in Swift.stride(from: 0, to: whole, by: 16) {
      var sum = SIMD16<UInt16>(
        truncatingIfNeeded: source.loadUnaligned(fromByteOffset: x, as: SIMD16<UInt8>.self))
      for index in 1..<number {
        sum &+= SIMD16<UInt16>(
          truncatingIfNeeded: source.loadUnaligned(
            fromByteOffset: x &+ index &* stride, as: SIMD16<UInt8>.self))
      }
      if !isFirst { sum &+= target.loadUnaligned(fromByteOffset: 2 &* x, as: SIMD16<UInt16>.self) }
      target.storeBytes(of: sum, toByteOffset: 2 &* x, as: SIMD16<UInt16>.self)
    }
    for x in whole..<count {
      var sum = isFirst ? 0 : sums[x]
      for index in 0..<number { sum &+= UInt16(row[x &+ index &* stride]) }
      sums[x] = sum
    }
  }

  /// Counts rows that were summed, and computes the means if they are the last of their group.
  private func finish(_ number: Int) {
    guard let meanRow = countRows(number) else { return }
    let sums = block.baseAddress!.assumingMemoryBound(to: UInt16.self)
    if channels == 1 {
      meansOfOneChannel(sums, row: meanRow)
    } else {
      meansOfChannels(sums, row: meanRow)
    }
    summedRows = 0
  }

  /// Adds the next row of 16-bit samples with one channel.
  ///
  /// - Precondition: there are no more rows than announced, and each has the announced number of samples.
  package func add(words row: Span<UInt16>) {
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
    guard let meanRow = countRows(1) else { return }
    meansOfOneChannel(sums, row: meanRow)
    summedRows = 0
  }

  /// Counts rows. Returns the index of the row of means if its group is complete.
  private func countRows(_ number: Int) -> Int? {
    addedRows += number
    summedRows += number
    return summedRows == step.rows || addedRows == rows ? (addedRows - 1) / step.rows : nil
  }

  /// The factor, with 32 fractional bits, from the sum of a number of columns to their mean.
  func factor(columns: Int) -> UInt64 {
    UInt64(scale / Double(columns * summedRows) * 0x1p32)
  }

  @inline(__always)
  func mean(_ sum: UInt64, _ factor: UInt64) -> Int16 {
    Int16(truncatingIfNeeded: (sum &* factor &+ 0x8000_0000) >> 32)
  }
}
