/// The light of a bitmap's pixels, averaged over squares where the result is much smaller, one plane a colour and one for
/// alpha.
///
/// Planes of the whole picture would take up to twice its memory. Rows are made in strips when the first channel asks
/// for one, for all channels together, and a strip is forgotten when all channels have passed it: the filter reads from
/// top to bottom, so that a few strips are all there is at a time.
///
/// Unsafe pointers: rows of the source have `size.width` pixels of four bytes, and so have the rows of numbers.
final class LightRows {
  /// The rows of planes that are made together.
  static let stripRows = 16

  private let bitmap: Bitmap
  private let step: RowAverager.Step
  private let pool: PixelBufferPool
  private let channelCount: Int
  /// The strips that are there, by their number, with a plane for each channel.
  private var strips: [Int: [SamplePlane]] = [:]
  /// The first row that each channel may still ask for.
  private var firstRows: [Int]

  /// - Parameter bitmap: in `bgra8`.
  init(of bitmap: Bitmap, step: RowAverager.Step, pool: PixelBufferPool) {
    precondition(bitmap.format == .bgra8, "rows of four bytes a pixel")
    self.bitmap = bitmap
    self.step = step
    self.pool = pool
    channelCount = bitmap.isOpaque ? 3 : 4
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

    var extentWidth: Double { Double(rows.bitmap.size.width) / Double(rows.step.columns) }
    var extentHeight: Double { Double(rows.bitmap.size.height) / Double(rows.step.rows) }
    var lift: DetailLift { .mean(columns: rows.step.columns, rows: rows.step.rows) }
    func row(_ row: Int) -> UnsafePointer<Int16> { rows.row(row, channel: index) }
    func discard(before row: Int) { rows.discard(before: row, channel: index) }
  }

  private func row(_ row: Int, channel: Int) -> UnsafePointer<Int16> {
    precondition(row >= firstRows[channel], "a row that was discarded")
    let strip = row / Self.stripRows
    let planes = strips[strip] ?? make(strip)
    return planes[channel].row(row % Self.stripRows)
  }

  private func discard(before row: Int, channel: Int) {
    firstRows[channel] = max(firstRows[channel], row)
    let first = (firstRows.min() ?? 0) / Self.stripRows
    for strip in strips.keys where strip < first { strips[strip] = nil }
  }

  private func make(_ strip: Int) -> [SamplePlane] {
    let width = bitmap.size.width
    let top = strip * Self.stripRows * step.rows
    precondition(top < bitmap.size.height, "row outside the picture")
    let rowCount = min(Self.stripRows * step.rows, bitmap.size.height - top)
    let averagers = (0..<channelCount).map { _ in
      RowAverager(size: PixelSize(width, rowCount), channels: 1, step: step, white: 65_535, pool: pool)
    }
    let block = pool.takeBlock(byteCount: width * 2 * channelCount)
    defer { pool.giveBack(block) }
    let light = block.bindMemory(to: UInt16.self).baseAddress!
    bitmap.withUnsafeBytes { bytes in
      for y in top..<top + rowCount {
        let pixels = bytes.baseAddress! + y * bitmap.bytesPerRow
        for x in 0..<width {
          let pixel = pixels.loadUnaligned(fromByteOffset: 4 * x, as: SIMD4<UInt8>.self)
          let values = LightTable.shared.light(of: pixel, isOpaque: bitmap.isOpaque)
          for channel in 0..<channelCount { light[channel * width + x] = values[channel] }
        }
        for channel in 0..<channelCount {
          averagers[channel].add(
            words: UnsafeBufferPointer(start: light + channel * width, count: width).span)
        }
      }
    }
    let planes = averagers.map { $0.planes[0] }
    strips[strip] = planes
    return planes
  }
}
