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

/// The rows of a plane as words for the passes. If the reduction is very large, they are first reduced by whole
/// factors.
///
/// The passes were written for pixels of four components. A plane passes four rows instead: component `i` of a word
/// is a pair of neighbours in row `i` of the four. Neighbours are side by side in memory, so a pair is read
/// directly.
///
/// Unsafe pointers (see `HorizontalPass.swift`). Why every index is in bounds: rows are clamped to those of the
/// source, which checks them; pairs are below half of `columnCount` rounded up, and rows of a source have a
/// multiple of 8 samples; results are written for the pairs in the parameter.
struct PlaneRows {
  let source: any SampleRowSource
  let columnFactor: Int
  let rowFactor: Int
  /// The size of the picture before the reduction.
  private let extentColumns: Int
  private let extentRows: Int
  /// The number of rows after the reduction.
  let rowCount: Int

  private var isReduced: Bool { columnFactor > 1 || rowFactor > 1 }

  init(source: any SampleRowSource, columnFactor: Int, rowFactor: Int) {
    self.source = source
    self.columnFactor = columnFactor
    self.rowFactor = rowFactor
    extentColumns = Int(source.extentWidth.rounded(.up))
    extentRows = Int(source.extentHeight.rounded(.up))
    rowCount = (extentRows + rowFactor - 1) / rowFactor
  }

  /// Writes the words of rows `row`, `row + 2`, `row + 4` and `row + 6`, for `pairs` of neighbours. Beyond the last
  /// row, the last row is repeated.
  func readEverySecond(from row: Int, pairs: Range<Int>, to words: UnsafeMutablePointer<PixelWord>) {
    func place(_ index: Int) -> Int { min(row + 2 * index, rowCount - 1) }
    if isReduced {
      let averages = (0..<4).map { self.averages(row: place($0), pairs: pairs) }
      for pair in 0..<pairs.count {
        words[pair] = PixelWord(
          averages[0][pair], averages[1][pair], averages[2][pair], averages[3][pair])
      }
      return
    }
    let a = pointer(row: place(0))
    let b = pointer(row: place(1))
    let c = pointer(row: place(2))
    let d = pointer(row: place(3))
    var pair = pairs.lowerBound
    // Four pairs of each row at a time.
    while pair &+ 4 <= pairs.upperBound {
      let square = PixelWord.Square(
        a: Self.load(a, pair), b: Self.load(b, pair), c: Self.load(c, pair), d: Self.load(d, pair))
      square.transposed.store(to: words + (pair &- pairs.lowerBound))
      pair &+= 4
    }
    while pair < pairs.upperBound {
      words[pair &- pairs.lowerBound] = PixelWord(
        a.load(fromByteOffset: 4 &* pair, as: Int32.self), b.load(fromByteOffset: 4 &* pair, as: Int32.self),
        c.load(fromByteOffset: 4 &* pair, as: Int32.self), d.load(fromByteOffset: 4 &* pair, as: Int32.self))
      pair &+= 1
    }
  }

  /// Four pairs of a row. A row of a plane is aligned to 8 samples, but the first pair is any.
  @inline(__always)
  private static func load(_ row: UnsafeRawPointer, _ pair: Int) -> PixelWord {
    row.loadUnaligned(fromByteOffset: 4 &* pair, as: PixelWord.self)
  }

  /// Frees the rows above a row, counted after the reduction.
  func discard(before row: Int) {
    source.discard(before: row * rowFactor)
  }

  private func pointer(row: Int) -> UnsafeRawPointer {
    UnsafeRawPointer(source.row(row))
  }

  /// The means of the blocks of a reduced row, two in a word.
  private func averages(row: Int, pairs: Range<Int>) -> [Int32] {
    let rows = row * rowFactor..<min((row + 1) * rowFactor, extentRows)
    let columnCount = (extentColumns + columnFactor - 1) / columnFactor
    func mean(_ index: Int) -> Int32 {
      let column = min(index, columnCount - 1)
      let columns = column * columnFactor..<min((column + 1) * columnFactor, extentColumns)
      var sum = 0
      for y in rows {
        let samples = source.row(y)
        for x in columns { sum += Int(samples[x]) }
      }
      let count = rows.count * columns.count
      return Int32((sum + count / 2) / count)
    }
    return pairs.map { mean(2 * $0) & 0xFFFF | mean(2 * $0 + 1) << 16 }
  }
}
