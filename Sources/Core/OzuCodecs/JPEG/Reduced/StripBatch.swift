import OzuImaging

/// Strips of the tail's rows that another thread makes while the first one resamples those before them.
///
/// `@unchecked Sendable`: `strips` is used on the other thread during `run`, and by the owner before it and after `wait` or `end`.
final class StripBatch: @unchecked Sendable {
  /// The rows of groups of the picture.
  let rows: Range<Int>
  private let source: TailRows
  private let shapes: [PlaneStrips.Shape]
  /// Memory for each row.
  private var strips: [UnsafeMutableRawBufferPointer]
  private let work = AssistedWork()

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

  /// Waits while the strips are being made; `false` if nobody has begun.
  ///
  /// - Throws: the errors of `checkpoint`.
  func wait<Failure: Error>(checkpoint: () throws(Failure) -> Void) throws(Failure) -> Bool {
    try work.wait(checkpoint: checkpoint)
  }

  /// Exchanges a strip for other memory, after `wait` has returned `true`.
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
