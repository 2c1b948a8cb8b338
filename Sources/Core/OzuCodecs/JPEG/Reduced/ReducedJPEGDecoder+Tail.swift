import OzuImaging

/// The pieces of a scan that another thread decodes.
extension ReducedJPEGDecoder {
  /// Begins the pieces of a scan on another thread; `nil` if the scan is too short for that, or no thread is free.
  func makeTail(
    _ header: JPEGScanHeader, parts: [ReducedScan.Part], position: Int
  ) -> ReducedScanTail? {
    guard let assistant = context.assistant,
      let mark = division.mark(in: file, from: position),
      // The tail takes a quarter more than the planes, and at most half as much for its flags.
      let reservation = context.reserveAside(2 * planeByteCount)
    else { return nil }
    let tail = ReducedScanTail(
      ReducedScanTail.Plan(
        file: file, position: position, mark: mark, division: division,
        frame: ReducedScanTail.Plan.frame(for: frame), rowCount: frame.groupRows, scales: scales,
        parts: zip(header.parts, parts).map { ($0.component, $1) }, tables: tables, pool: context.pool,
        restartInterval: definitions.restartInterval, cpuTime: context.limits.cpuTime,
        reservation: reservation))
    return assistant.begin { tail.run() } ? tail : nil
  }

  /// Notes that the tail has the rows behind `row`, if the scan is where a group of one of its pieces ended.
  mutating func lookForTail(behind row: Int) {
    guard let tail, row + 1 < frame.groupRows, let position = scan?.source.position else { return }
    let next = tail.mark(behind: position)
    guard definitions.restartInterval == 0 else {
      meeting = tail.meet(behind: row).map {
        TailMeeting(row: row, mark: $0.mark, group: $0.group, offset: .zero)
      }
      return
    }
    guard scan?.hasData == true else { return }
    guard let mark = scan?.source.loadedMark else {
      // Perhaps a piece that begins before the one that was expected.
      scan?.source.expect(next)
      return
    }
    guard let bits = scan?.bitsBehindMark else { return }
    switch tail.meet(at: bits, behind: mark) {
    case .found(let group, let predictions):
      guard let sums = scan?.predictions else { return }
      meeting = TailMeeting(row: row, mark: mark, group: group, offset: sums &- predictions)
    case .notYet: break
    case .never: scan?.source.expect(next)
    }
  }

  /// The rows of the tail, for which it waits; `nil` if the next row is to be read from the scan.
  ///
  /// - Throws: what `DecodingContext.checkpoint()` throws.
  mutating func waitForTailRows() throws(ImageDecodingError) -> TailRows? {
    guard let tail, let meeting else { return nil }
    if let tailRows { return tailRows }
    let context = context
    let rest =
      try tail.wait(checkpoint: { () throws(ImageDecodingError) in try context.checkpoint() })
      ? tail.rest(behind: meeting, wanted: (frame.groupRows - meeting.row - 1) * frame.groupColumns) : nil
    guard let rest else {
      self.meeting = nil
      self.tail = nil
      return nil
    }
    if rest.isShort { missesData = true }
    let rows = TailRows(
      tail: tail, rest: rest, firstRow: meeting.row + 1, components: components, scanParts: scanParts)
    tailRows = rows
    return rows
  }
}

/// Where a scan and a piece of its tail were between the same two groups.
struct TailMeeting {
  /// The row of groups of the picture that had ended there.
  var row: Int
  /// Where the piece begins.
  var mark: Int
  /// The group of the piece that had ended there; -1 before its first one.
  var group: Int
  /// The amount that is added to the piece's sums of differences.
  var offset: SIMD4<Int32>
}
