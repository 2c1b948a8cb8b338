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
