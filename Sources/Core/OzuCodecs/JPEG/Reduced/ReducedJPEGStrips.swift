import OzuImaging

/// Makes the planes of a sequential JPEG for the resampler, one row of groups of blocks at a time.
///
/// The rows that a second thread has decoded still have to be made into samples and resampled. These take about the same
/// time, so the second thread makes the samples of a batch of rows while the first one resamples the batch before.
///
/// A class, because the resampler asks for strips while it makes rows. It must not outlive the bytes of the file.
final class ReducedJPEGStrips: PlaneStripMaker {
  private var decoder: ReducedJPEGDecoder
  private var nextRow = 0
  let shapes: [PlaneStrips.Shape]
  /// The batch of the row that is next, if there is one, and the batch behind it.
  private var batches: [StripBatch] = []
  private var free: [UnsafeMutableRawBufferPointer] = []
  private var reservation: DecodedByteBudget.Reservation?
  private var chosenRowCount: Int?

  /// Takes a decoder that has begun (`ReducedJPEGDecoder.begin`).
  init(_ decoder: consuming ReducedJPEGDecoder) {
    shapes = decoder.scales.enumerated().map { decoder.frame.stripShape($0, scale: $1) }
    self.decoder = decoder
  }

  var stripCount: Int { decoder.frame.groupRows }

  func makeStrip(in strip: inout UnsafeMutableRawBufferPointer, isSeen: Bool) throws(ImageDecodingError) {
    defer { nextRow += 1 }
    if try takeFromBatch(&strip) { return }
    strip.initializeMemory(as: UInt8.self, repeating: 0)
    try decoder.decodeStrip(nextRow, in: planes(of: strip), isSeen: isSeen)
    // The first batch comes after some rows that this thread makes meanwhile.
    if isSeen, batches.isEmpty { beginBatch(at: nextRow + 1 + batchRowCount) }
  }

  /// The rows of the batches. It is chosen when the first one is begun.
  private var batchRowCount: Int {
    if let chosen = chosenRowCount { return chosen }
    let most = decoder.division.batchByteCount / max(1, stripByteCount)
    return max(2, min((stripCount - nextRow) / 3, most), most / 8)
  }

  /// Takes the next row from its batch, if there is one that is made.
  private func takeFromBatch(_ strip: inout UnsafeMutableRawBufferPointer) throws(ImageDecodingError) -> Bool
  {
    if let batch = batches.first, nextRow >= batch.rows.upperBound { endBatch() }
    guard let batch = batches.first, nextRow >= batch.rows.lowerBound else { return false }
    if nextRow == batch.rows.lowerBound {
      let context = decoder.context
      let isMade = try batch.work.wait { () throws(ImageDecodingError) in try context.checkpoint() }
      guard isMade else {
        endBatch()
        return false
      }
    }
    // Again with each row, because the thread is free a little after it has made its batch.
    if batches.count == 1 { beginBatch(at: batch.rows.upperBound) }
    batch.exchange(nextRow, &strip)
    try decoder.step(over: nextRow)
    return true
  }

  /// Lends the second thread some rows of the tail, if there are enough, and a thread.
  private func beginBatch(at row: Int) {
    guard let source = decoder.tailRows, let assistant = decoder.context.assistant, row + 1 < stripCount
    else { return }
    let rows = row..<min(row + batchRowCount, stripCount)
    if reservation == nil {
      // There are two batches at a time.
      let count = batchRowCount
      guard let reserved = decoder.context.reserveAside(2 * count * stripByteCount) else { return }
      reservation = reserved
      chosenRowCount = count
    }
    while free.count < rows.count { free.append(decoder.context.pool.takeBlock(byteCount: stripByteCount)) }
    let strips = Array(free.suffix(rows.count))
    let batch = StripBatch(rows, of: source, shapes: shapes, in: strips)
    guard assistant.begin({ batch.run() }) else { return }
    free.removeLast(rows.count)
    batches.append(batch)
  }

  private func endBatch() { free += batches.removeFirst().end() }

  /// Ends the work of a second thread. Afterwards nobody reads the file.
  func end() {
    while !batches.isEmpty { endBatch() }
    for block in free { decoder.context.pool.giveBack(block) }
    free = []
    decoder.tail?.work.end()
  }
}

/// Strips of the tail's rows that another thread makes while the first one resamples those before them.
///
/// `@unchecked Sendable`: `strips` is used on the other thread during `run`, and by the owner before it and after `work.wait` or `end`.
final class StripBatch: @unchecked Sendable {
  let rows: Range<Int>
  private let source: TailRows
  private let shapes: [PlaneStrips.Shape]
  private var strips: [UnsafeMutableRawBufferPointer]
  let work = AssistedWork()

  init(
    _ rows: Range<Int>, of source: TailRows, shapes: [PlaneStrips.Shape],
    in strips: [UnsafeMutableRawBufferPointer]
  ) {
    precondition(strips.count == rows.count && shapes.count == source.components.count)
    self.rows = rows
    self.source = source
    self.shapes = shapes
    self.strips = strips
  }

  /// Makes the strips on the calling thread.
  func run() {
    work.run {
      for (row, strip) in zip(rows, strips) {
        if work.isUnwanted { return false }
        source.make(row, in: PlaneStrips.planes(of: strip, shapes: shapes))
      }
      return true
    }
  }

  /// Exchanges a strip for other memory, after `work.wait` has returned `true`.
  func exchange(_ row: Int, _ strip: inout UnsafeMutableRawBufferPointer) {
    swap(&strips[row - rows.lowerBound], &strip)
  }

  /// Stops the work, and returns the memory of the strips.
  func end() -> [UnsafeMutableRawBufferPointer] {
    work.end()
    defer { strips = [] }
    return strips
  }
}
