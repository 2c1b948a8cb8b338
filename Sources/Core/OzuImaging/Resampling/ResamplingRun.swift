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
