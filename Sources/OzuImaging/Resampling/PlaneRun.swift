/// One plane on its way to the size of the result: across, eight rows at a time, then down.
///
/// The passes are those of pixels. What they know as the four components of a pixel are here four pairs of
/// rows on the way across, and four neighbouring columns on the way down.
///
/// A class, because it stops after some rows of the result and goes on later: all planes of a picture are made a band at
/// a time, and what lies between is a band and not a picture.
///
/// Unsafe pointers again (see `HorizontalPass.swift`). Why every index is in bounds: the ring has three slots
/// more than a window of the vertical filter has pairs, so that four pairs can be read at once without
/// overwriting one that is still needed; a slot is a row of `padded(width)` numbers; results are written to
/// rows of the padded width in a target that the caller made for as many of them as it asks for.
final class PlaneRun {
  /// How many pairs of rows the horizontal pass makes at a time.
  private static let step = 4

  let rows: PlaneRows
  let across: FilterTable
  let down: FilterTable
  private let pool: PixelBufferPool
  private let block: UnsafeMutableRawBufferPointer
  private let slots: Int
  private let stride: Int
  /// The pair of rows that goes across next, and the row of the result that comes next.
  private var nextPair = 0
  private var nextRow = 0

  /// Plans the way of a plane.
  ///
  /// - Parameters:
  ///   - region: the part that is shown, in fractions of the picture.
  ///   - size: of the result.
  init(
    source: any SampleRowSource, region: PixelRegion, size: PixelSize, kernel: ResamplingKernel,
    pool: PixelBufferPool
  ) {
    let horizontal = ResamplingAxis.filtering(
      extent: source.extentWidth, origin: region.x * source.extentWidth,
      length: region.width * source.extentWidth, count: size.width, kernel: kernel,
      lift: source.lift.horizontal)
    let vertical = ResamplingAxis.filtering(
      extent: source.extentHeight, origin: region.y * source.extentHeight,
      length: region.height * source.extentHeight, count: size.height, kernel: kernel,
      lift: source.lift.vertical)
    rows = PlaneRows(source: source, columnFactor: horizontal.factor, rowFactor: vertical.factor)
    across = horizontal.table
    down = vertical.table
    self.pool = pool
    stride = Self.padded(across.starts.count)
    slots = down.pairsPerSample + Self.step - 1
    let wordCount = slots * stride / 4 + 2 * across.pairs.count + across.starts.count
    block = pool.takeBlock(byteCount: wordCount * MemoryLayout<PixelWord>.stride)
    // Zeroed, because the places beyond the end of a row are read, though nobody looks at the result.
    block.bindMemory(to: PixelWord.self).baseAddress!.initialize(repeating: .zero, count: wordCount)
    // Rows above the part that is shown need not be made.
    rows.discard(before: min(2 * down.pairs.lowerBound, rows.rowCount - 1))
  }

  deinit {
    pool.giveBack(block)
  }

  /// The width of a row of numbers between and after the passes: whole words in whole blocks.
  static func padded(_ width: Int) -> Int { (width + 15) & ~15 }

  /// Makes the next rows of the result, `padded(width)` samples apart.
  func makeRows(_ count: Int, to target: UnsafeMutablePointer<Int16>) {
    precondition(count >= 0 && count <= down.starts.count - nextRow, "no more rows than the result has")
    let width = across.starts.count
    let words = block.baseAddress!.assumingMemoryBound(to: PixelWord.self)
    let upper = words + slots * stride / 4
    let lower = upper + across.pairs.count
    let filtered = lower + across.pairs.count
    let ring = UnsafeMutableRawPointer(words).assumingMemoryBound(to: Int32.self)

    var offsets = [Int](repeating: 0, count: down.pairsPerSample)
    for index in 0..<count {
      let row = nextRow + index
      let start = down.starts[row]
      while nextPair < start + down.pairsPerSample {
        // Pairs that no window looks at are stepped over.
        if nextPair + Self.step > start {
          let first = 2 * (down.pairs.lowerBound + nextPair)
          rows.readEverySecond(from: first, pairs: across.pairs, to: upper)
          rows.readEverySecond(from: first + 1, pairs: across.pairs, to: lower)
          HorizontalPass(table: across).filter(upper, lower, to: filtered)
          spread(filtered, count: width, to: ring, pair: nextPair, slots: slots, stride: stride)
        }
        nextPair += Self.step
      }
      for slot in 0..<offsets.count { offsets[slot] = (start + slot) % slots * (stride / 4) }
      VerticalPass(table: down).filter(
        words, offsets: offsets, row: row, width: stride / 4, to: target + index * stride)
    }
    nextRow += count
    // Rows after the last are read as the last.
    rows.discard(before: min(2 * (down.pairs.lowerBound + nextPair), rows.rowCount - 1))
  }

  /// Lays the four components of words into the slots of four pairs of rows.
  private func spread(
    _ words: UnsafePointer<PixelWord>, count: Int, to ring: UnsafeMutablePointer<Int32>, pair: Int,
    slots: Int, stride: Int
  ) {
    let a = ring + pair % slots * stride
    let b = ring + (pair + 1) % slots * stride
    let c = ring + (pair + 2) % slots * stride
    let d = ring + (pair + 3) % slots * stride
    for x in 0..<count {
      let word = words[x]
      a[x] = word[0]
      b[x] = word[1]
      c[x] = word[2]
      d[x] = word[3]
    }
  }
}
