import OzuImaging

/// The second half of a scan, which another thread decodes.
extension ReducedJPEGDecoder {
  /// The most bytes of planes for each byte of the file with which a file is divided. Planes are then whole, which takes time, and
  /// resampling them is not divided: with four bytes, both threads together take 1.15 of the time of one.
  private static let mostPlaneBytes = 4

  /// Whether another thread should decode the second half of the file.
  var isWorthDividing: Bool {
    !frame.isProgressive && context.assistant != nil
      && division.mark(in: file, from: header.scanOffset) != nil
      && planeByteCount <= Self.mostPlaneBytes * (file.count - header.scanOffset)
  }

  /// Begins the second half of a scan on another thread; `nil` if the scan is too short for that, or no thread is free.
  func makeTail(
    _ header: JPEGScanHeader, parts: [ReducedScan.Part], tables: [HuffmanTable], position: Int
  ) -> ReducedScanTail? {
    guard !frame.isProgressive, definitions.restartInterval == 0, let assistant = context.assistant,
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

  /// Takes the rest of a scan from its tail, when the row just read ended where one of the tail's groups did.
  ///
  /// - Returns: whether data were missing; `nil` when the scan is to be read on.
  /// - Throws: what `DecodingContext.checkpoint()` throws.
  mutating func finish(
    _ scan: borrowing ReducedScan, behind row: Int, with tail: ReducedScanTail
  ) throws(DecodingError) -> Bool? {
    guard let bits = scan.bitsBehindMark, scan.hasData,
      case .found(let group, let predictions) = tail.meet(at: bits)
    else { return nil }
    // Something to do while the tail is not done.
    transform(upTo: row + 1)
    let context = context
    guard try tail.wait(checkpoint: { () throws(DecodingError) in try context.checkpoint() }) else {
      return nil
    }
    return tail.place(
      behind: group, in: scan.components, row: row + 1, offset: scan.predictions &- predictions)
  }
}
