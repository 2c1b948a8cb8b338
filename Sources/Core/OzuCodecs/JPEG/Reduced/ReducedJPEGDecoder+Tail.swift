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
      try tail.work.wait(checkpoint: { () throws(ImageDecodingError) in try context.checkpoint() })
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
  var mark: Int
  /// The group of the piece that had ended there; -1 before its first one.
  var group: Int
  /// The amount that is added to the piece's sums of differences.
  var offset: SIMD4<Int32>
}

/// The rows of groups that a tail has of a picture, from its meeting with the scan on.
///
/// `@unchecked Sendable`: the tail is done, and nobody changes its planes or the numbers of the components any more. The decoder
/// owns the memory of the components, and ends all work on other threads before it releases it.
struct TailRows: @unchecked Sendable {
  let tail: ReducedScanTail
  let rest: ScanRest
  /// The row of groups of the picture with which they begin.
  let firstRow: Int
  /// Those of the picture.
  let components: [ReducedComponent]
  /// The components of the scan, in its order.
  let scanParts: [Int]

  /// The groups in a row.
  private var columns: Int { tail.plan.frame.groupColumns }

  /// Writes the squares of a row, with their means. Samples beside and below the groups that the tail has keep what they were.
  ///
  /// - Parameter samples: for each component the place of its rows, with the shape of `ReducedJPEGFrame.stripShape`.
  func place(_ row: Int, in samples: [UnsafeMutablePointer<Int16>]) {
    let first = min((row - firstRow) * columns, rest.groupCount)
    let end = min(first + columns, rest.groupCount)
    tail.place(first..<end, of: rest, in: scanParts.map { target($0, samples) })
  }

  /// The same with all samples, of which those beside and below the groups become zero coefficients, and makes samples of the coefficients.
  func make(_ row: Int, in samples: [UnsafeMutablePointer<Int16>]) {
    let blockRows = tail.plan.frame.components.map(\.verticalBlocks)
    let isFull = (row - firstRow + 1) * columns <= rest.groupCount
    for (index, start) in samples.enumerated() {
      let component = components[index]
      let written = isFull ? component.blockCount.width * component.scale : 0
      for line in 0..<blockRows[index] * component.scale {
        (start + (line * component.stride + written)).update(repeating: 0, count: component.stride - written)
      }
    }
    place(row, in: samples)
    for index in components.indices { target(index, samples).transform(0..<blockRows[index]) }
  }

  private func target(_ index: Int, _ samples: [UnsafeMutablePointer<Int16>]) -> ReducedComponent {
    var component = components[index]
    component.samples = samples[index]
    return component
  }
}
