/// Resamples one plane to the size of the result: first across, eight rows at a time, then down.
///
/// The passes are those for pixels. Instead of the four components of a pixel, they get four pairs of rows in the
/// horizontal pass, and four neighbouring columns in the vertical pass.
///
/// A class, because it stops after some rows of the result and continues later: all planes of a picture are made
/// one band at a time, so that only a band is in memory, not a picture.
///
/// Unsafe pointers (see `HorizontalPass.swift`). Why every index is in bounds: the ring has three slots more than a
/// window of the vertical filter has pairs, so that four pairs can be read at once without overwriting one that is
/// still needed; a slot is a row of `padded(width)` numbers; results are written to rows of the padded width, and
/// the caller's target has as many rows as it asks for.
final class PlaneRun {
  /// How many pairs of rows the horizontal pass reads at a time.
  private static let step = 4

  let rows: PlaneRows
  let across: FilterTable
  let down: FilterTable
  private let pool: PixelBufferPool
  private let block: UnsafeMutableRawBufferPointer
  private let slots: Int
  private let stride: Int
  /// The next pair of rows to filter across, and the next row of the result.
  private var nextPair = 0
  private var nextRow = 0

  /// Plans the resampling of a plane.
  ///
  /// - Parameters:
  ///   - region: the part that is shown, as fractions of the picture.
  ///   - size: the size of the result.
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
    // Zeroed, because the padding after the end of a row is read, though its result is not used.
    block.bindMemory(to: PixelWord.self).baseAddress!.initialize(repeating: .zero, count: wordCount)
    // Rows above the part that is shown are not needed.
    rows.discard(before: min(2 * down.pairs.lowerBound, rows.rowCount - 1))
  }

  deinit {
    pool.giveBack(block)
  }

  /// The padded width of a row between and after the passes: whole words in whole blocks.
  static func padded(_ width: Int) -> Int { (width + 31) & ~31 }

  /// Makes the next rows of the result, which are `padded(width)` samples apart.
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
        // Pairs that no window reads are skipped.
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
    // Beyond the last row, the last row is repeated.
    rows.discard(before: min(2 * (down.pairs.lowerBound + nextPair), rows.rowCount - 1))
  }

  /// Writes the four components of words to the slots of four pairs of rows.
  private func spread(
    _ words: UnsafePointer<PixelWord>, count: Int, to ring: UnsafeMutablePointer<Int32>, pair: Int,
    slots: Int, stride: Int
  ) {
    let a = ring + pair % slots * stride
    let b = ring + (pair + 1) % slots * stride
    let c = ring + (pair + 2) % slots * stride
    let d = ring + (pair + 3) % slots * stride
    var x = 0
    while x &+ 4 <= count {
      let rows = PixelWord.Square(a: words[x], b: words[x &+ 1], c: words[x &+ 2], d: words[x &+ 3])
        .transposed
      Self.store(rows.a, a + x)
      Self.store(rows.b, b + x)
      Self.store(rows.c, c + x)
      Self.store(rows.d, d + x)
      x &+= 4
    }
    while x < count {
      let word = words[x]
      a[x] = word[0]
      b[x] = word[1]
      c[x] = word[2]
      d[x] = word[3]
      x &+= 1
    }
  }

  @inline(__always)
  private static func store(_ word: PixelWord, _ place: UnsafeMutablePointer<Int32>) {
    UnsafeMutableRawPointer(place).storeBytes(of: word, as: PixelWord.self)
  }
}
