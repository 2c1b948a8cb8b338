/// The rows of a picture as words for the passes. If the reduction is very large, they are first reduced by whole
/// factors.
///
/// A filter over thousands of samples would have weights of a few units or zero, and would read each source pixel
/// six times. So blocks of `columnFactor` × `rowFactor` pixels are averaged first, exactly, with fractional bits:
/// the filter then has at most 256 taps. Blocks start at the top left corner of the picture; the last block in a
/// row or column may be smaller, and the filter table takes that into account.
///
/// Unsafe pointers (see `HorizontalPass.swift`). Why every index is in bounds: source pixels are read only at
/// columns below `size.width`, and a row has four bytes for each; `PictureRows` checks rows; results are written at
/// the positions in the parameters.
struct SourceRows {
  let rows: PictureRows
  let columnFactor: Int
  let rowFactor: Int

  private var size: PixelSize { rows.size }

  /// The number of rows after the reduction.
  var rowCount: Int { (size.height + rowFactor - 1) / rowFactor }
  /// The number of columns after the reduction.
  var columnCount: Int { (size.width + columnFactor - 1) / columnFactor }

  private var isReduced: Bool { columnFactor > 1 || rowFactor > 1 }

  /// Writes the words of neighbouring pixels for `pairs` of a row: columns `2 * p` and `2 * p + 1` for each `p`. An
  /// odd last column is paired with itself.
  func readNeighbors(row: Int, pairs: Range<Int>, to words: UnsafeMutablePointer<PixelWord>) {
    if isReduced {
      let columns = 2 * pairs.lowerBound..<min(2 * pairs.upperBound, columnCount)
      let pixels = averages(row: row, columns: columns)
      for pair in 0..<pairs.count {
        words[pair] = PixelWord(pixels[2 * pair], pixels[min(2 * pair + 1, pixels.count - 1)])
      }
      return
    }
    let source = pointer(row: row)
    let width = size.width
    let wholePairs = pairs.lowerBound..<max(pairs.lowerBound, min(pairs.upperBound, width / 2))
    for pair in wholePairs {
      let pixels = source.loadUnaligned(fromByteOffset: 8 &* pair, as: SIMD8<UInt8>.self)
      words[pair &- pairs.lowerBound] = Self.word(pixels.lowHalf, pixels.highHalf)
    }
    for pair in wholePairs.upperBound..<pairs.upperBound {
      let pixel = source.loadUnaligned(fromByteOffset: 8 &* pair, as: SIMD4<UInt8>.self)
      words[pair &- pairs.lowerBound] = Self.word(pixel, pixel)
    }
  }

  /// Writes the words of vertical neighbours in rows `2 * rowPair` and `2 * rowPair + 1`, for `columns`. An odd
  /// last row is paired with itself.
  func readRows(rowPair: Int, columns: Range<Int>, to words: UnsafeMutablePointer<PixelWord>) {
    let upperRow = 2 * rowPair
    let lowerRow = min(upperRow + 1, rowCount - 1)
    if isReduced {
      let upper = averages(row: upperRow, columns: columns)
      // Rows are read once: an odd last row is not averaged again.
      let lower = lowerRow == upperRow ? upper : averages(row: lowerRow, columns: columns)
      for index in 0..<columns.count { words[index] = PixelWord(upper[index], lower[index]) }
      return
    }
    let upper = pointer(row: upperRow) + 4 * columns.lowerBound
    let lower = pointer(row: lowerRow) + 4 * columns.lowerBound
    for index in 0..<columns.count {
      let above = upper.loadUnaligned(fromByteOffset: 4 &* index, as: SIMD4<UInt8>.self)
      let below = lower.loadUnaligned(fromByteOffset: 4 &* index, as: SIMD4<UInt8>.self)
      words[index] = Self.word(above, below)
    }
  }

  /// The pixels of a row before the reduction. Rows must be read from top to bottom, and two stay valid
  /// (`PictureRows`): pairs of rows are read together, and the averages of a row are made before those of the next.
  func pointer(row: Int) -> UnsafeRawPointer { rows.row(row) }

  /// Interleaves two pixels. Written lane by lane, which compiles to two or three shuffles; widening both pixels
  /// and shifting one would become 26 scalar instructions.
  @inline(__always)
  private static func word(_ a: SIMD4<UInt8>, _ b: SIMD4<UInt8>) -> PixelWord {
    let bytes = SIMD8<UInt8>(a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3])
    let values = SIMD8<UInt16>(truncatingIfNeeded: bytes) &<< SIMD8(repeating: UInt16(PixelWord.fractionBits))
    return unsafeBitCast(values, to: PixelWord.self)
  }

  /// The means of the blocks of a reduced row, with fractional bits, for `columns` of them.
  ///
  /// The sums of one row fit into 32 bits for up to 16 million pixels in a block; with 256 taps, no block is as
  /// large.
  private func averages(row: Int, columns: Range<Int>) -> [SIMD4<Int32>] {
    let rows = row * rowFactor..<min((row + 1) * rowFactor, size.height)
    var sums = [SIMD4<UInt64>](repeating: .zero, count: columns.count)
    for y in rows {
      let source = pointer(row: y)
      for (index, column) in columns.enumerated() {
        var sum = SIMD4<UInt32>.zero
        for x in column * columnFactor..<min((column + 1) * columnFactor, size.width) {
          sum &+= SIMD4<UInt32>(
            truncatingIfNeeded: source.loadUnaligned(fromByteOffset: 4 &* x, as: SIMD4<UInt8>.self))
        }
        sums[index] &+= SIMD4<UInt64>(truncatingIfNeeded: sum)
      }
    }
    return zip(columns, sums).map { column, sum in
      let width = min((column + 1) * columnFactor, size.width) - column * columnFactor
      return Self.mean(sum, count: width * rows.count)
    }
  }

  /// `sum / count` with fractional bits, by a 48-bit reciprocal: exact to the last bit for every even area.
  private static func mean(_ sum: SIMD4<UInt64>, count: Int) -> SIMD4<Int32> {
    let scale = UInt64(1) << (48 + UInt64(PixelWord.fractionBits))
    let reciprocal = (scale + UInt64(count) / 2) / UInt64(count)
    let value = (sum &* SIMD4(repeating: reciprocal) &+ SIMD4(repeating: 1 << 47)) &>> SIMD4(repeating: 48)
    return SIMD4<Int32>(truncatingIfNeeded: value)
  }
}
