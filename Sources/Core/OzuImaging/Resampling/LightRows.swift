import OzuBase

/// The light of a picture's pixels, one plane for each colour and one for alpha. If the result is much smaller,
/// squares of pixels are averaged.
///
/// Planes of the whole picture would take up to twice its memory. So rows are made in strips: the first channel
/// that asks for a row makes the strip for all channels, and a strip is freed when all channels have passed it. The
/// filter reads from top to bottom, so only a few strips exist at a time. Strips are made in order, because a
/// decoder may deliver each row only once (`PictureRows`).
///
/// Unsafe pointers: see `LightStrip`.
final class LightRows {
  /// The number of rows of a plane that are made together.
  static let stripRows = 16

  private let pixels: PictureRows
  private let averager: LightAverager
  private let step: RowAverager.Step
  private let pool: PixelBufferPool
  private let channelCount: Int
  /// The number of rows in a plane.
  private let rowCount: Int
  /// The existing strips, by their index.
  private var strips: [Int: LightStrip] = [:]
  /// The index of the strip that is made next.
  private var nextStrip = 0
  /// The first row that each channel may still ask for.
  private var firstRows: [Int]

  init(of pixels: PictureRows, step: RowAverager.Step, pool: PixelBufferPool) {
    self.pixels = pixels
    self.step = step
    self.pool = pool
    averager = LightAverager(width: pixels.size.width, isOpaque: pixels.isOpaque, step: step, pool: pool)
    channelCount = pixels.isOpaque ? 3 : 4
    rowCount = (pixels.size.height + step.rows - 1) / step.rows
    firstRows = [Int](repeating: 0, count: channelCount)
  }

  /// How many pixels are averaged before the filter.
  static func step(region: PixelRegion, to size: PixelSize) -> RowAverager.Step {
    func step(_ length: Double, _ count: Int) -> Int {
      min(max(1, Int(clamping: length / Double(count) / PlaneAveraging.headroom)), RowAverager.longestStep)
    }
    return RowAverager.Step(columns: step(region.width, size.width), rows: step(region.height, size.height))
  }

  /// Blue, green, red, and alpha if there is any.
  var channels: [any SampleRowSource] {
    (0..<channelCount).map { Channel(rows: self, index: $0) }
  }

  /// One channel of all rows.
  private final class Channel: SampleRowSource {
    private let rows: LightRows
    private let index: Int

    init(rows: LightRows, index: Int) {
      self.rows = rows
      self.index = index
    }

    var extentWidth: Double { Double(rows.pixels.size.width) / Double(rows.step.columns) }
    var extentHeight: Double { Double(rows.pixels.size.height) / Double(rows.step.rows) }
    var lift: DetailLift { .mean(columns: rows.step.columns, rows: rows.step.rows) }
    func row(_ row: Int) -> UnsafePointer<Int16> { rows.row(row, channel: index) }
    func discard(before row: Int) { rows.discard(before: row, channel: index) }
  }

  private func row(_ row: Int, channel: Int) -> UnsafePointer<Int16> {
    precondition(row >= firstRows[channel] && row < rowCount, "a row that was discarded")
    let number = row / Self.stripRows
    while nextStrip <= number {
      strips[nextStrip] = strip(nextStrip)
      nextStrip += 1
    }
    guard let strip = strips[number] else { preconditionFailure("a strip that was discarded") }
    return strip.row(row % Self.stripRows, channel: channel)
  }

  private func discard(before row: Int, channel: Int) {
    firstRows[channel] = max(firstRows[channel], row)
    let first = (firstRows.min() ?? 0) / Self.stripRows
    nextStrip = max(nextStrip, first)
    for strip in strips.keys where strip < first { strips[strip] = nil }
  }

  /// Makes a strip. If strips before it are skipped, so are their pixels.
  private func strip(_ number: Int) -> LightStrip {
    let first = number * Self.stripRows
    let strip = LightStrip(
      columns: averager.columnCount, rows: min(Self.stripRows, rowCount - first), channels: channelCount,
      pool: pool)
    for row in 0..<strip.rowCount {
      let top = (first + row) * step.rows
      averager.average(pixels, top..<min(top + step.rows, pixels.size.height), to: strip, row: row)
    }
    return strip
  }
}

/// Some rows of the planes of light, one plane after the other.
///
/// Unsafe pointers. Why every index is in bounds: the block holds `rowCount` rows of `samplesPerRow` numbers for each
/// channel, and `row` checks its row.
final class LightStrip {
  let rowCount: Int
  private let samplesPerRow: Int
  private let block: UnsafeMutableRawBufferPointer
  private let samples: UnsafeMutablePointer<Int16>
  private let pool: PixelBufferPool

  init(columns: Int, rows: Int, channels: Int, pool: PixelBufferPool) {
    rowCount = rows
    samplesPerRow = (columns + 7) & ~7
    block = pool.takeBlock(byteCount: Self.byteCount(columns: columns, rows: rows, channels: channels))
    samples = block.bindMemory(to: Int16.self).baseAddress!
    self.pool = pool
    // The padding after the last column is read, though its weight is 0, so it is cleared; everything else is
    // written.
    for row in 1...rows * channels {
      (samples + row * samplesPerRow - (samplesPerRow - columns))
        .initialize(repeating: 0, count: samplesPerRow - columns)
    }
  }

  deinit {
    pool.giveBack(block)
  }

  static func byteCount(columns: Int, rows: Int, channels: Int) -> Int {
    ((columns + 7) & ~7) * rows * channels * 2
  }

  func row(_ row: Int, channel: Int) -> UnsafePointer<Int16> {
    UnsafePointer(mutableRow(row, channel: channel))
  }

  func mutableRow(_ row: Int, channel: Int) -> UnsafeMutablePointer<Int16> {
    precondition(row >= 0 && row < rowCount, "row outside the strip")
    return samples + (channel * rowCount + row) * samplesPerRow
  }
}
