import OzuBase
import OzuImaging

/// The pieces of a scan that another thread decodes while the first one decodes the scan from its beginning.
///
/// **Why the result is right.** A scan without restart markers does not contain the places of its blocks. A piece begins at
/// a byte in the middle as if a group of blocks began there. Its first groups are wrong, but Huffman codes synchronize by
/// themselves, mostly within some hundred bytes (Klein and Wiseman, "Parallel Huffman decoding with applications to JPEG
/// files", 2003). The piece records the bits at which its first groups ended. The decoder of the data before it continues
/// after its beginning, a row of groups at a time, until it is at one of these bits. From there on both would read the same
/// groups: a group depends only on its bits, except for the sums of the mean values, whose difference stays the same as at
/// that bit. Without a common bit the decoder of the data before continues to the end, and the piece is not used.
///
/// With restart markers a piece begins behind one, as far as they are in order (`RestartRows`): then its groups are right, and their places
/// known.
///
/// **Which pieces.** The first one is the end of the scan. When it is done, the next one begins in the middle between the place that
/// the first thread has reached and the pieces that were taken, and ends where the piece behind it was met; and so on until the first
/// thread is near (`ScanDivision`).
///
/// **The memory that it uses.** Its planes are its own, made on its thread; all pieces use the same. The file and the tables belong to the
/// decoder of the first thread, which must call `work.end()` before it releases them: that waits for a running tail, and prevents the start
/// of a tail that has not begun.
///
/// `@unchecked Sendable`: other threads read the planes only after `work` says that they are done.
final class ReducedScanTail: @unchecked Sendable {
  /// The input of the tail: the file, the places of its pieces, and the tables.
  struct Plan: @unchecked Sendable {
    /// The file, which outlives the tail's run because of `work.end()`.
    var file: UnsafeRawBufferPointer
    var position: Int
    /// The offset in the file at which the first piece begins, or that of a restart marker behind it.
    var mark: Int
    var division: ScanDivision
    /// The frame of the picture, with some more rows (`frame(for:)`).
    var frame: ReducedJPEGFrame
    var rowCount: Int
    var scales: [Int]
    /// The components in the order of the scan: the index of each, and the part with its tables.
    var parts: [(index: Int, part: ReducedScan.Part)]
    var tables: [HuffmanTable]
    var pool: PixelBufferPool
    /// The groups between two restart markers; 0 for none.
    var restartInterval: Int
    /// The processor time after which the tail gives up.
    var cpuTime: Duration
    var reservation: DecodedByteBudget.Reservation

    /// A frame whose planes have room for all pieces of a picture. Each begins at a row of groups, and ends in a row that
    /// the piece behind it has too.
    static func frame(for picture: ReducedJPEGFrame) -> ReducedJPEGFrame {
      picture.extended(byGroupRows: min(32, picture.groupRows / 4))
    }
  }

  private struct State {
    /// The place up to which the first thread has loaded the file.
    var position: Int
    var pieces: [ScanPiece]
  }

  let plan: Plan
  private let state: Mutex<State>
  let work = AssistedWork()
  private var planes: [SamplePlane] = []
  private(set) var components: [ReducedComponent] = []

  init(_ plan: Plan) {
    self.plan = plan
    let first = ScanPiece(mark: plan.mark, row: 0)
    state = Mutex(State(position: plan.position, pieces: plan.restartInterval == 0 ? [first] : []))
  }

  deinit {
    for component in components { component.free() }
  }

  /// The number of ends of groups that are recorded. They are compared only with the ends of rows, and the first of these may be a
  /// row after the mark.
  private var boundaryCount: Int { 4 * plan.frame.groupColumns + 256 }

  /// Decodes on the calling thread.
  func run() { work.run(decode) }

  /// Decodes piece after piece; `false` if it gives up.
  private func decode() -> Bool {
    let start = DecodingContext.systemThreadTime()
    let frame = plan.frame
    var restarts: RestartRows?
    if plan.restartInterval > 0 {
      restarts = RestartRows(
        in: plan.file, from: plan.position, interval: plan.restartInterval, columns: frame.groupColumns,
        rows: plan.rowCount)
      guard restarts != nil else { return false }
    }
    let parts = makeParts()
    var next: ScanPiece?
    var piece = state.withLock { $0.pieces.first } ?? beginPiece(before: nil, restarts)
    while let current = piece {
      guard let made = decode(current, before: next, parts, since: start) else { return false }
      next = made
      piece = beginPiece(before: made, restarts)
    }
    return true
  }

  /// The components of the scan, with planes of the tail.
  private func makeParts() -> [ReducedScan.Part] {
    let frame = plan.frame
    return plan.parts.map { index, part in
      let plane = frame.plane(index, scale: plan.scales[index], isZero: false, pool: plan.pool)
      var component = ReducedComponent(
        samplesPerRow: plane.samplesPerRow, scale: plan.scales[index], blocks: frame.blocks(of: index))
      component.samples = plane.samples.baseAddress
      component.quantization.update(from: part.component.quantization, count: 64)
      component.keepDifferences()
      planes.append(plane)
      components.append(component)
      var own = part
      own.component = component
      return own
    }
  }

  /// Begins the piece before one that is decoded, or the last one of the scan; `nil` if there is nothing left for one.
  private func beginPiece(before piece: ScanPiece?, _ restarts: RestartRows?) -> ScanPiece? {
    let columns = plan.frame.groupColumns
    let row = piece.map { $0.row + ($0.groupCount + columns - 1) / columns } ?? 0
    guard row < plan.frame.groupRows else { return nil }
    return state.withLock { state in
      var mark = plan.mark
      if let piece {
        guard let middle = plan.division.mark(in: plan.file, between: state.position, and: piece.mark) else {
          return nil
        }
        mark = middle
      }
      var next = ScanPiece(mark: mark, row: row)
      if let restarts {
        guard
          let start = restarts.start(near: mark, between: state.position, and: piece?.mark ?? plan.file.count)
        else { return nil }
        next = ScanPiece(mark: start.position, row: row, pictureRow: start.row)
      }
      state.pieces.append(next)
      return next
    }
  }

  /// Decodes a piece up to the one behind it. `nil` if the tail is not wanted any more, or has no time left.
  private func decode(
    _ start: ScanPiece, before next: ScanPiece?, _ parts: [ReducedScan.Part], since time: Duration
  ) -> ScanPiece? {
    var piece = start
    let frame = plan.frame
    let first = start.pictureRow
    // Behind a restart marker all groups are counted.
    let rowCount = first.map { (next?.pictureRow ?? plan.rowCount) - $0 } ?? frame.groupRows - start.row
    var scan = ReducedScan(
      source: EntropySource(file: plan.file, position: piece.mark, mark: first == nil ? next?.mark : nil),
      parts: parts, columns: frame.groupColumns, rows: frame.groupRows, restartInterval: plan.restartInterval,
      restartCount: first.map { $0 * frame.groupColumns / plan.restartInterval } ?? 0,
      boundaries: first == nil ? ScanBoundaries(capacity: boundaryCount) : nil)
    for row in piece.row..<piece.row + rowCount {
      // Only the rows that it reaches, and before they leave the cache of the processor again.
      for component in parts.map(\.component) {
        let count = component.blockCount.height / scan.rows * component.lineStep
        (component.samples! + row * count).update(repeating: 0, count: count)
      }
      scan.decodeRow(row, .sequential)
      if work.isUnwanted || DecodingContext.systemThreadTime() - time > plan.cpuTime { return nil }
      guard first == nil else { continue }
      if let next, scan.hasData, let bits = scan.bitsBehindMark,
        case .found(let group, let predictions) = next.meet(at: bits)
      {
        piece.link = ScanPiece.Link(group: group, offset: scan.predictions &- predictions)
      }
      if piece.ends.isEmpty, let boundaries = scan.boundaries, boundaries.ends.count == boundaries.capacity {
        piece.ends = boundaries.ends
        publish(piece)
      }
      if !scan.hasData || piece.link != nil { break }
    }
    // The planes may have ended before the data: then this is the first check whether the last group had all its bits.
    scan.finish()
    piece.isOver = true
    piece.ends = scan.boundaries?.ends ?? []
    piece.groupCount = scan.boundaries?.groupCount ?? rowCount * frame.groupColumns
    piece.missesData = scan.source.missesData
    piece.hasEnd = first != nil || !scan.hasData
    if first != nil, next != nil { piece.link = ScanPiece.Link(group: -1, offset: .zero) }
    publish(piece)
    return piece
  }

  private func publish(_ piece: ScanPiece) {
    state.withLock { $0.pieces[$0.pieces.count - 1] = piece }
  }

  /// Notes how far the first thread has loaded the file. Returns the place behind it at which the next piece begins, if there is one.
  func mark(behind position: Int) -> Int? {
    state.withLock { state in
      state.position = position
      return state.pieces.last { $0.mark > position }?.mark
    }
  }

  /// Looks for a group that ended at a number of bits after the beginning of a piece.
  func meet(at bits: Int, behind mark: Int) -> ScanPiece.Meeting {
    state.withLock { state in
      state.pieces.last { $0.mark == mark }?.meet(at: bits) ?? .never
    }
  }

  /// The piece that has the row behind `row`, and its group before that, if pieces follow restart markers.
  func meet(behind row: Int) -> (mark: Int, group: Int)? {
    state.withLock { state in
      for piece in state.pieces {
        guard let first = piece.pictureRow, first <= row + 1 else { continue }
        return (piece.mark, (row + 1 - first) * plan.frame.groupColumns - 1)
      }
      return nil
    }
  }

  /// The groups after a meeting, up to the end of a picture; `nil` if the planes ended before the picture.
  ///
  /// Call it only after `work.wait` has returned `true`.
  ///
  /// - Parameter wanted: how many groups of the picture are left.
  func rest(behind meeting: TailMeeting, wanted: Int) -> ScanRest? {
    let pieces = state.withLock { $0.pieces }
    guard let index = pieces.lastIndex(where: { $0.mark == meeting.mark }) else { return nil }
    return ScanRest(
      of: pieces, columns: plan.frame.groupColumns, from: index, behind: meeting.group,
      offset: meeting.offset,
      wanted: wanted)
  }
}
