import OzuImaging

/// The second half of a scan, which another thread decodes.
extension ReducedJPEGDecoder {
  /// Begins the second half of a scan on another thread; `nil` if the scan is too short for that, or no thread is free.
  func makeTail(
    _ header: JPEGScanHeader, parts: [ReducedScan.Part], position: Int
  ) -> ReducedScanTail? {
    guard definitions.restartInterval == 0, let assistant = context.assistant,
      let mark = division.mark(in: file, from: position),
      // The tail takes as much as the planes, and less for its flags.
      let reservation = context.reserveAside(2 * planeByteCount)
    else { return nil }
    let tail = ReducedScanTail(
      ReducedScanTail.Plan(
        file: file, mark: mark, frame: frame, scales: scales,
        parts: zip(header.parts, parts).map { ($0.component, $1) }, tables: tables, pool: context.pool,
        cpuTime: context.limits.cpuTime, reservation: reservation))
    return assistant.begin { tail.run() } ? tail : nil
  }

  /// Notes that the tail has the rows behind `row`, if the scan is where one of the tail's groups ended.
  mutating func lookForTail(behind row: Int) {
    guard let tail, row + 1 < frame.groupRows, let bits = scan?.bitsBehindMark, scan?.hasData == true,
      case .found(let group, let predictions) = tail.meet(at: bits), let sums = scan?.predictions
    else { return }
    meeting = TailMeeting(row: row, group: group, offset: sums &- predictions)
  }

  /// Takes a row of groups from the tail, and waits for it. `false` if the row is to be read from the scan.
  ///
  /// - Throws: what `DecodingContext.checkpoint()` throws.
  mutating func takeRow(_ row: Int) throws(DecodingError) -> Bool {
    guard let tail, let meeting else { return false }
    let context = context
    let columns = frame.groupColumns
    guard try tail.wait(checkpoint: { () throws(DecodingError) in try context.checkpoint() }),
      let rest = tail.rest(behind: meeting.group, wanted: (frame.groupRows - meeting.row - 1) * columns)
    else {
      self.meeting = nil
      self.tail = nil
      return false
    }
    if rest.isShort { missesData = true }
    let before = (row - meeting.row - 1) * columns
    let first = meeting.group + 1 + before
    let count = max(0, min(columns, rest.groupCount - before))
    if count > 0 {
      tail.place(first..<first + count, in: scanParts.map { components[$0] }, offset: meeting.offset)
    }
    return true
  }
}

/// Where a scan and its tail were between the same two groups.
struct TailMeeting {
  /// The row of groups of the picture that had ended there.
  var row: Int
  /// The group of the tail that had ended there.
  var group: Int
  /// The amount that is added to the tail's sums of differences.
  var offset: SIMD4<Int32>
}
