/// The light of a picture's pixels, averaged over squares where the result is much smaller, one plane a colour and one for
/// alpha.
///
/// Planes of the whole picture would take up to twice its memory. Rows are made in strips when the first channel asks
/// for one, for all channels together, and a strip is forgotten when all channels have passed it: the filter reads from
/// top to bottom, so that a few strips are all there is at a time. Strips are made in order, for the pixels come from a
/// decoder that hands out each row once (`PictureRows`).
///
/// Unsafe pointers: see `LightStrip`.
final class LightRows {
  /// The rows of planes that are made together.
  static let stripRows = 16

  private let pixels: PictureRows
  private let averager: LightAverager
  private let step: RowAverager.Step
  private let pool: PixelBufferPool
  private let channelCount: Int
  /// The rows of planes.
  private let rowCount: Int
  /// The strips that are there, by their number.
  private var strips: [Int: LightStrip] = [:]
  /// The number of the strip that is made next.
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

  /// Blue, green, red, and alpha where there is any.
  var channels: [any SampleRowSource] {
    (0..<channelCount).map { Channel(rows: self, index: $0) }
  }

  /// One colour of all rows.
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

  /// Makes a strip. Where strips were stepped over, so are their pixels.
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

/// Some rows of the planes of light, one plane behind the other.
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
    // The numbers behind the last column are read, though they weigh nothing; all others are written.
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
