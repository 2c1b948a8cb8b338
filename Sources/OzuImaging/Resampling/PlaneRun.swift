/// One plane on its way to the size of the result: across, eight rows at a time, then down.
///
/// The passes are those of pixels. What they know as the four components of a pixel are here four pairs of
/// rows on the way across, and four neighbouring columns on the way down.
///
/// Unsafe pointers again (see `HorizontalPass.swift`). Why every index is in bounds: the ring has three slots
/// more than a window of the vertical filter has pairs, so that four pairs can be read at once without
/// overwriting one that is still needed; a slot is a row of `padded(width)` numbers; results are written to
/// rows of `samplesPerRow`, the padded width, in a target made for `vertical.count` of them.
struct PlaneRun {
  /// How many pairs of rows the horizontal pass makes at a time.
  private static let step = 4

  let rows: PlaneRows
  let across: FilterTable
  let down: FilterTable
  let pool: PixelBufferPool

  /// Plans the way of a plane.
  ///
  /// - Parameters:
  ///   - region: the part that is shown, in fractions of the picture.
  ///   - size: of the result.
  init(
    plane: SamplePlane, region: PixelRegion, size: PixelSize, kernel: ResamplingKernel, pool: PixelBufferPool
  ) {
    let horizontal = ResamplingAxis.filtering(
      extent: plane.extentWidth, origin: region.x * plane.extentWidth,
      length: region.width * plane.extentWidth, count: size.width, kernel: kernel,
      lift: plane.lift.horizontal)
    let vertical = ResamplingAxis.filtering(
      extent: plane.extentHeight, origin: region.y * plane.extentHeight,
      length: region.height * plane.extentHeight, count: size.height, kernel: kernel,
      lift: plane.lift.vertical)
    rows = PlaneRows(plane: plane, columnFactor: horizontal.factor, rowFactor: vertical.factor)
    across = horizontal.table
    down = vertical.table
    self.pool = pool
  }

  /// The width of a row of numbers between and after the passes: whole words in whole blocks.
  static func padded(_ width: Int) -> Int { (width + 15) & ~15 }

  /// Makes all rows of the result, `padded(width)` samples apart.
  func execute(to target: UnsafeMutablePointer<Int16>) {
    let width = across.starts.count
    let stride = Self.padded(width)
    let slots = down.pairsPerSample + Self.step - 1
    let pairCount = across.pairs.count
    let ringWordCount = slots * stride / 4
    let wordCount = ringWordCount + 2 * pairCount + width
    let block = pool.takeBlock(byteCount: wordCount * MemoryLayout<PixelWord>.stride)
    defer { pool.giveBack(block) }
    let words = block.bindMemory(to: PixelWord.self).baseAddress!
    // Zeroed, because the places beyond the end of a row are read, though nobody looks at the result.
    words.initialize(repeating: .zero, count: wordCount)
    let upper = words + ringWordCount
    let lower = upper + pairCount
    let filtered = lower + pairCount
    let ring = UnsafeMutableRawPointer(words).assumingMemoryBound(to: Int32.self)

    var offsets = [Int](repeating: 0, count: down.pairsPerSample)
    var next = 0
    for (row, start) in down.starts.enumerated() {
      while next < start + down.pairsPerSample {
        // Pairs that no window looks at are stepped over.
        if next + Self.step > start {
          let first = 2 * (down.pairs.lowerBound + next)
          rows.readEverySecond(from: first, pairs: across.pairs, to: upper)
          rows.readEverySecond(from: first + 1, pairs: across.pairs, to: lower)
          HorizontalPass(table: across).filter(upper, lower, to: filtered)
          spread(filtered, count: width, to: ring, pair: next, slots: slots, stride: stride)
        }
        next += Self.step
      }
      for index in 0..<offsets.count { offsets[index] = (start + index) % slots * (stride / 4) }
      VerticalPass(table: down).filter(
        words, offsets: offsets, row: row, width: stride / 4, to: target + row * stride)
    }
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
