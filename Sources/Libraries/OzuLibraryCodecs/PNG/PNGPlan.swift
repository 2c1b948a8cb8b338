import OzuCodecs
import OzuImaging

/// How a picture is stored, filtered and compressed.
struct PNGPlan {
  let rows: PNGStoredRows
  let filter: PNGFilter.Choice
  let method: PNGDeflater.Method
}

extension PNGPlan {
  /// If a sample shrinks to less than this share, zlib's search for repetitions is worth its time, and takes
  /// little.
  private static let repetitiveShare = 0.2
  /// With high effort, at most this number of plans compress the whole picture: those whose samples have at most this
  /// share of the bytes of the smallest.
  private static let trialCount = 3
  private static let trialShare = 1.05
  private static let bandRowCount = 8
  private static let bandCount = 12

  /// Decides by a sample of the rows.
  ///
  /// - Parameter layouts: the same picture in each layout that is possible; the one that should be the smallest is
  ///   the last.
  init(_ layouts: [PNGStoredRows], effort: EncodingOptions.Effort) throws(PNGDeflater.Failure) {
    precondition(!layouts.isEmpty, "a picture has a layout")
    if effort == .low {
      let rows = layouts[layouts.count - 1]
      self.init(rows: rows, filter: rows.layout.palette == nil ? .smallestSum : .none, method: .fast)
      return
    }
    var candidates: [(plan: PNGPlan, whole: Int, deflated: Int)] = []
    for rows in layouts {
      let bands = Self.bands(height: rows.bitmap.size.height)
      let sampledCount = bands.reduce(0) { $0 + $1.count }
      let headCount = rows.layout.byteCount * sampledCount / rows.bitmap.size.height
      for filter in effort == .high ? PNGFilter.Choice.allCases : [.none, .smallestSum] {
        let plan = PNGPlan(rows: rows, filter: filter, method: .fast)
        let (whole, deflated) = try plan.byteCount(bands)
        candidates.append((plan, whole, deflated + headCount))
      }
    }
    candidates.sort { $0.deflated < $1.deflated }
    let best = candidates[0]
    let isRepetitive = Double(best.deflated) < Self.repetitiveShare * Double(best.whole)
    let mayRepeat = isRepetitive || best.plan.filter == .none
    guard effort == .high else {
      self.init(rows: best.plan.rows, filter: best.plan.filter, method: mayRepeat ? .zlib(4) : .fast)
      return
    }
    // The sample is compressed by another library. What is nearly as small there may be smaller here.
    let likely = candidates.prefix(Self.trialCount)
      .filter { Double($0.deflated) <= Self.trialShare * Double(best.deflated) }
    var smallest: (plan: PNGPlan, byteCount: Int)?
    for candidate in likely {
      let rows = candidate.plan.rows
      let plan = PNGPlan(rows: rows, filter: candidate.plan.filter, method: .zlib(mayRepeat ? 9 : 7))
      let byteCount = try likely.count == 1 ? 0 : plan.byteCount() + rows.layout.byteCount
      if smallest.map({ byteCount < $0.byteCount }) ?? true { smallest = (plan, byteCount) }
    }
    self = smallest?.plan ?? best.plan
  }

  /// Bands of rows, distributed over the height; all rows if there are few.
  private static func bands(height: Int) -> [Range<Int>] {
    guard height > bandCount * bandRowCount else { return [0..<height] }
    return (0..<bandCount).map { number in
      let start = (height - bandRowCount) * number / (bandCount - 1)
      return start..<start + bandRowCount
    }
  }

  /// The bytes of a sample, and those of its stream.
  private func byteCount(_ bands: [Range<Int>]) throws(PNGDeflater.Failure) -> (whole: Int, deflated: Int) {
    var (whole, deflated) = (0, 0)
    for band in bands {
      let deflater = try PNGDeflater(method, isFiltered: filter != .none, pieceByteCount: 16 << 10)
      try forEachRow(band) { (bytes, isLast) throws(PNGDeflater.Failure) in
        whole += bytes.count
        try deflater.deflate(bytes, isLast: isLast) { deflated += $0.count }
      }
    }
    return (whole, deflated)
  }

  func byteCount() throws(PNGDeflater.Failure) -> Int {
    var count = 0
    try deflate { count += $0.count }
    return count
  }

  /// Passes the stream of the whole picture to `flush` in pieces.
  func deflate(
    flush: (UnsafeRawBufferPointer) throws(PNGDeflater.Failure) -> Void
  ) throws(PNGDeflater.Failure) {
    let deflater = try PNGDeflater(
      method, isFiltered: filter != .none, pieceByteCount: PNGEncoder.chunkByteCount)
    try forEachRow(0..<rows.bitmap.size.height) { (bytes, isLast) throws(PNGDeflater.Failure) in
      try deflater.deflate(bytes, isLast: isLast, flush: flush)
    }
  }

  /// Calls `body` with each row of a range, after the number of its filter.
  private func forEachRow<Failure: Error>(
    _ range: Range<Int>, _ body: (_ bytes: UnsafeRawBufferPointer, _ isLast: Bool) throws(Failure) -> Void
  ) throws(Failure) {
    let filters = PNGFilter(rowByteCount: rows.rowByteCount, pixelByteCount: rows.pixelByteCount)
    let scratch = UnsafeMutableRawBufferPointer.allocate(
      byteCount: rows.bitmap.size.width * rows.bitmap.format.bytesPerPixel, alignment: 16)
    defer { scratch.deallocate() }
    try rows.bitmap.withUnsafeBytes { (pixels) throws(Failure) in
      // `scratch` holds a row of the bitmap, `filters.row` a row of the file.
      guard let scratch = scratch.baseAddress else { return }
      for y in range {
        rows.write(y, of: pixels, to: filters.row, scratch: scratch)
        try filters.withFiltered(filter) { (bytes) throws(Failure) in
          try body(bytes, y == range.upperBound - 1)
        }
        filters.advance()
      }
    }
  }
}
