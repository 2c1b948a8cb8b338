/// One resize: the two passes in the better order, and the rows between them.
///
/// Unsafe pointers (see `HorizontalPass.swift`). Why every index is in bounds: row `y` of the target begins at `y *
/// targetBytesPerRow`, a multiple of 16, and has that many bytes, for `y` below the number of result rows; scratch
/// memory is taken for exactly the rows that the methods below put into it. The ring has a slot for each pair of
/// rows in a window of the vertical filter. Windows have equal lengths and never move back, so a pair that was
/// overwritten is not needed again.
struct ResamplingRun {
  let source: SourceRows
  let target: UnsafeMutableRawBufferPointer
  let targetBytesPerRow: Int
  let horizontal: ResamplingAxis
  let vertical: ResamplingAxis
  let opacity: UInt32
  let pool: PixelBufferPool

  /// The number of target rows between two checkpoints.
  private static let rowsPerCheckpoint = 32

  /// Makes all rows of the target.
  func execute<Failure: Error>(checkpoint: () throws(Failure) -> Void) throws(Failure) {
    switch (horizontal.table, vertical.table) {
    case (nil, nil): try copy(checkpoint)
    case (let across?, nil): try filterAcross(across, checkpoint)
    case (nil, let down?): try filterDown(down, checkpoint)
    case (let across?, let down?):
      if isCheaperDownFirst {
        try filterDownThenAcross(across, down, checkpoint)
      } else {
        try filterAcrossThenDown(across, down, checkpoint)
      }
    }
  }

  /// Compares the multiplications of both orders. For equal reductions on both axes the costs are equal, and rows
  /// go first, because the rows in the ring are then narrow.
  private var isCheaperDownFirst: Bool {
    let width = Double(horizontal.count)
    let height = Double(vertical.count)
    let across = Double(horizontal.pairsPerSample)
    let down = Double(vertical.pairsPerSample)
    let acrossFirst = Double(vertical.sampleCount) * width * across + height * width * down
    let downFirst = height * Double(horizontal.sampleCount) * down + height * width * across
    return downFirst * 1.25 < acrossFirst
  }

  private func copy<Failure: Error>(_ checkpoint: () throws(Failure) -> Void) throws(Failure) {
    for y in 0..<vertical.count {
      if y % Self.rowsPerCheckpoint == 0 { try checkpoint() }
      let row = UnsafeRawBufferPointer(
        start: source.pointer(row: vertical.offset + y) + horizontal.offset * 4, count: horizontal.count * 4)
      UnsafeMutableRawBufferPointer(rebasing: target[(y * targetBytesPerRow)...]).copyMemory(from: row)
    }
  }

  private func filterAcross<Failure: Error>(
    _ table: FilterTable, _ checkpoint: () throws(Failure) -> Void
  ) throws(Failure) {
    try withScratch(wordCount: table.pairs.count) { (words) throws(Failure) in
      for y in 0..<vertical.count {
        if y % Self.rowsPerCheckpoint == 0 { try checkpoint() }
        source.readNeighbors(row: vertical.offset + y, pairs: table.pairs, to: words)
        HorizontalPass(table: table).filter(words, to: targetRow(y), opacity: opacity)
      }
    }
  }

  private func filterDown<Failure: Error>(
    _ table: FilterTable, _ checkpoint: () throws(Failure) -> Void
  ) throws(Failure) {
    let width = horizontal.count
    let columns = horizontal.offset..<horizontal.offset + width
    let rowStride = VerticalPass.padded(width)
    try withScratch(wordCount: rowStride * table.pairsPerSample) { (ring) throws(Failure) in
      try forEachWindow(of: table, rowStride: rowStride, checkpoint) { rowPair, slot in
        source.readRows(rowPair: rowPair, columns: columns, to: ring + slot)
      } filter: { y, offsets in
        VerticalPass(table: table).filter(
          ring, offsets: offsets, row: y, width: width, to: targetRow(y), opacity: opacity)
      }
    }
  }

  private func filterAcrossThenDown<Failure: Error>(
    _ across: FilterTable, _ down: FilterTable, _ checkpoint: () throws(Failure) -> Void
  ) throws(Failure) {
    let width = horizontal.count
    let rowStride = VerticalPass.padded(width)
    let sourceStride = across.pairs.count
    try withScratch(wordCount: rowStride * down.pairsPerSample + 2 * sourceStride) { (ring) throws(Failure) in
      let upper = ring + rowStride * down.pairsPerSample
      let lower = upper + sourceStride
      try forEachWindow(of: down, rowStride: rowStride, checkpoint) { rowPair, slot in
        source.readNeighbors(row: 2 * rowPair, pairs: across.pairs, to: upper)
        let hasLower = 2 * rowPair + 1 < source.rowCount
        if hasLower { source.readNeighbors(row: 2 * rowPair + 1, pairs: across.pairs, to: lower) }
        HorizontalPass(table: across).filter(upper, hasLower ? lower : upper, to: ring + slot)
      } filter: { y, offsets in
        VerticalPass(table: down).filter(
          ring, offsets: offsets, row: y, width: width, to: targetRow(y), opacity: opacity)
      }
    }
  }

  private func filterDownThenAcross<Failure: Error>(
    _ across: FilterTable, _ down: FilterTable, _ checkpoint: () throws(Failure) -> Void
  ) throws(Failure) {
    let width = 2 * across.pairs.count
    let columns = 2 * across.pairs.lowerBound..<min(2 * across.pairs.upperBound, source.columnCount)
    let rowStride = VerticalPass.padded(width)
    try withScratch(wordCount: rowStride * down.pairsPerSample + rowStride / 2) { (ring) throws(Failure) in
      let words = ring + rowStride * down.pairsPerSample
      try forEachWindow(of: down, rowStride: rowStride, checkpoint) { rowPair, slot in
        source.readRows(rowPair: rowPair, columns: columns, to: ring + slot)
      } filter: { y, offsets in
        VerticalPass(table: down).filter(ring, offsets: offsets, row: y, width: width, to: words)
        HorizontalPass(table: across).filter(words, to: targetRow(y), opacity: opacity)
      }
    }
  }

  /// Calls `filter` for each row of the result, with the places in the ring of the row pairs in its window. Before
  /// that, it calls `read` for the pairs that are not in the ring yet.
  private func forEachWindow<Failure: Error>(
    of table: FilterTable, rowStride: Int, _ checkpoint: () throws(Failure) -> Void,
    read: (_ rowPair: Int, _ slot: Int) -> Void, filter: (_ row: Int, _ offsets: [Int]) -> Void
  ) throws(Failure) {
    let slots = table.pairsPerSample
    var offsets = [Int](repeating: 0, count: slots)
    var next = 0
    var previousStart = 0
    for (row, start) in table.starts.enumerated() {
      precondition(start >= previousStart, "a window moved back")
      if row % Self.rowsPerCheckpoint == 0 { try checkpoint() }
      previousStart = start
      for pair in max(next, start)..<max(next, start + slots) {
        read(table.pairs.lowerBound + pair, pair % slots * rowStride)
      }
      next = max(next, start + slots)
      for index in 0..<slots { offsets[index] = (start + index) % slots * rowStride }
      filter(row, offsets)
    }
  }

  private func targetRow(_ y: Int) -> UnsafeMutablePointer<UInt32> {
    target.bindMemory(to: UInt32.self).baseAddress! + y * (targetBytesPerRow / 4)
  }

  /// Provides zeroed memory for rows of words. Zeroed, because the padding after the end of a row is read, though
  /// its weight is 0.
  private func withScratch<Failure: Error>(
    wordCount: Int, _ body: (UnsafeMutablePointer<PixelWord>) throws(Failure) -> Void
  ) throws(Failure) {
    let block = pool.takeBlock(byteCount: wordCount * MemoryLayout<PixelWord>.stride)
    defer { pool.giveBack(block) }
    let words = block.bindMemory(to: PixelWord.self)
    words.baseAddress!.initialize(repeating: .zero, count: wordCount)
    try body(words.baseAddress!)
  }
}

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
