import OzuBase

/// The light of a picture's pixels in strips, one plane for each colour and one for alpha. If the result is much smaller,
/// squares of pixels are averaged in the same pass: one table lookup and one addition for each colour.
///
/// Planes of the whole picture would take up to twice its memory. The means are equal to those of `RowAverager`, bit for bit: sums
/// are exact, and are divided by the same factors.
///
/// Unsafe pointers. Why every index is in bounds: a row of `PictureRows` has `width` pixels of four bytes; a table
/// has 256 numbers; there is a sum for each mean of a row in each of the (at most four) channels, and rows of
/// the planes are made for `columnCount` columns.
final class LightRows: PlaneStripMaker {
  /// The number of rows of a plane that are made together.
  static let stripRows = 16

  let shapes: [PlaneStrips.Shape]
  let stripCount: Int
  private let pixels: PictureRows
  private let step: RowAverager.Step
  private let width: Int
  /// The number of means in a row, and of rows of means.
  private let columnCount: Int
  private let rowCount: Int
  private let pool: PixelBufferPool
  private let block: UnsafeMutableRawBufferPointer
  private let sums: UnsafeMutablePointer<UInt32>
  /// The number in a plane for each byte.
  private let numbers: [Int16]
  private var nextStrip = 0

  init(of pixels: PictureRows, step: RowAverager.Step, pool: PixelBufferPool) {
    self.pixels = pixels
    self.step = step
    self.pool = pool
    width = pixels.size.width
    columnCount = (width + step.columns - 1) / step.columns
    rowCount = (pixels.size.height + step.rows - 1) / step.rows
    block = pool.takeBlock(byteCount: columnCount * 4 * MemoryLayout<UInt32>.stride)
    sums = block.bindMemory(to: UInt32.self).baseAddress!
    let factor = Self.factor(1)
    numbers = LightTable.shared.lights.map { Self.mean($0, factor) }
    stripCount = (rowCount + Self.stripRows - 1) / Self.stripRows
    let shape = PlaneStrips.Shape(
      columnCount: columnCount, rowCount: min(Self.stripRows, rowCount),
      extentWidth: Double(pixels.size.width) / Double(step.columns),
      extentHeight: Double(pixels.size.height) / Double(step.rows),
      lift: .mean(columns: step.columns, rows: step.rows))
    shapes = [PlaneStrips.Shape](repeating: shape, count: pixels.isOpaque ? 3 : 4)
  }

  deinit {
    pool.giveBack(block)
  }

  /// If strips are not seen, their pixels are skipped.
  func makeStrip(in strip: inout UnsafeMutableRawBufferPointer, isSeen: Bool) {
    let first = nextStrip * Self.stripRows
    nextStrip += 1
    guard isSeen else { return }
    let (starts, stride) = (planes(of: strip), shapes[0].samplesPerRow)
    for (index, row) in (first..<min(first + Self.stripRows, rowCount)).enumerated() {
      let rows = row * step.rows..<min((row + 1) * step.rows, pixels.size.height)
      let means = starts.map { $0 + index * stride }
      average(rows, to: means)
      // The padding is read, though its weight is 0.
      for mean in means { (mean + columnCount).initialize(repeating: 0, count: stride - columnCount) }
    }
  }

  /// Averages rows of pixels into one row of each plane.
  private func average(_ rows: Range<Int>, to planes: [UnsafeMutablePointer<Int16>]) {
    if pixels.isOpaque, step.columns == 1, rows.count == 1 {
      return convert(pixels.row(rows.lowerBound), to: planes)
    }
    let channels = planes.count
    sums.initialize(repeating: 0, count: columnCount * channels)
    for y in rows {
      if pixels.isOpaque { addOpaque(pixels.row(y)) } else { add(pixels.row(y)) }
    }
    let whole = width / step.columns
    for (channel, means) in planes.enumerated() {
      let factor = Self.factor(step.columns * rows.count)
      for x in 0..<whole { means[x] = Self.mean(sums[x &* channels &+ channel], factor) }
      guard whole < columnCount else { continue }
      let rest = Self.factor((width - whole * step.columns) * rows.count)
      means[whole] = Self.mean(sums[whole * channels + channel], rest)
    }
  }

  /// Each pixel is its own mean.
  private func convert(_ row: UnsafeRawPointer, to planes: [UnsafeMutablePointer<Int16>]) {
    let bytes = row.assumingMemoryBound(to: UInt8.self)
    let (blue, green, red) = (planes[0], planes[1], planes[2])
    numbers.withUnsafeBufferPointer { numbers in
      for x in 0..<width {
        blue[x] = numbers[Int(bytes[4 &* x])]
        green[x] = numbers[Int(bytes[4 &* x &+ 1])]
        red[x] = numbers[Int(bytes[4 &* x &+ 2])]
      }
    }
  }

  /// Adds a row. The sum of 128 × 128 pixels of 65,535 fits into 32 bits.
  private func addOpaque(_ row: UnsafeRawPointer) {
    // For the steps of most thumbnails, a constant step lets LLVM unroll the loop.
    switch step.columns {
    case 2: addOpaque(row, step: 2)
    case 3: addOpaque(row, step: 3)
    case 4: addOpaque(row, step: 4)
    case 5: addOpaque(row, step: 5)
    case 6: addOpaque(row, step: 6)
    default: addOpaque(row, step: step.columns)
    }
  }

  @inline(__always)
  private func addOpaque(_ row: UnsafeRawPointer, step: Int) {
    let table = LightTable.shared
    table.lights.withUnsafeBufferPointer { lights in
      table.upperLights.withUnsafeBufferPointer { upperLights in
        var pixel = row.assumingMemoryBound(to: UInt8.self)
        var sum = sums
        /// Adds some pixels to the sums of a mean. Blue and green are added in the two halves of one word, so that
        /// LLVM does not build vectors from numbers that are looked up one by one.
        @inline(__always)
        func add(_ count: Int) {
          var blueGreen: UInt64 = 0
          var red: UInt32 = 0
          for _ in 0..<count {
            blueGreen &+= UInt64(lights[Int(pixel[0])])
            blueGreen &+= upperLights[Int(pixel[1])]
            red &+= lights[Int(pixel[2])]
            pixel += 4
          }
          sum[0] &+= UInt32(truncatingIfNeeded: blueGreen)
          sum[1] &+= UInt32(truncatingIfNeeded: blueGreen >> 32)
          sum[2] &+= red
          sum += 3
        }
        let whole = width / step
        for _ in 0..<whole { add(step) }
        if whole < columnCount { add(width - whole * step) }
      }
    }
  }

  /// Adds a row of pixels with alpha.
  private func add(_ row: UnsafeRawPointer) {
    let table = LightTable.shared
    let target = UnsafeMutableRawPointer(sums)
    var x = 0
    for column in 0..<columnCount {
      var sum = target.loadUnaligned(fromByteOffset: 16 &* column, as: SIMD4<UInt32>.self)
      for _ in 0..<min(step.columns, width &- x) {
        let pixel = row.loadUnaligned(fromByteOffset: 4 &* x, as: SIMD4<UInt8>.self)
        sum &+= SIMD4<UInt32>(truncatingIfNeeded: table.light(of: pixel, isOpaque: false))
        x &+= 1
      }
      target.storeBytes(of: sum, toByteOffset: 16 &* column, as: SIMD4<UInt32>.self)
    }
  }

  /// The factor, with 32 fractional bits, from the sum of `count` pixels to their mean, where 65,535 becomes 255.
  private static func factor(_ count: Int) -> UInt64 {
    let unit: Double = 255.0 / 65_535 * Double(1 << SamplePlane.fractionBits)
    return UInt64(unit / Double(count) * 0x1p32)
  }

  @inline(__always)
  private static func mean(_ sum: UInt32, _ factor: UInt64) -> Int16 {
    Int16(truncatingIfNeeded: (UInt64(sum) &* factor &+ 0x8000_0000) >> 32)
  }
}
