import OzuCodecs
import OzuImaging

/// How the rows of a picture are filtered and compressed.
struct PNGPlan {
  let isFiltered: Bool
  let method: PNGDeflater.Method

  /// If a sample shrinks to less than this share, zlib's search for repetitions is worth its time, and takes
  /// little.
  private static let repetitiveShare = 0.2
  private static let bandRowCount = 8
  private static let bandCount = 12

  /// Decides by a sample of the rows.
  init(_ rows: PNGStoredRows, effort: EncodingOptions.Effort) throws(PNGDeflater.Failure) {
    if effort == .low {
      (isFiltered, method) = (true, .fast)
      return
    }
    let bands = Self.bands(height: rows.bitmap.size.height)
    let filtered = try PNGPlan(isFiltered: true, method: .fast).byteCount(of: rows, bands)
    let plain = try PNGPlan(isFiltered: false, method: .fast).byteCount(of: rows, bands)
    isFiltered = filtered.deflated < plain.deflated
    let best = isFiltered ? filtered : plain
    let isRepetitive = Double(best.deflated) < Self.repetitiveShare * Double(best.whole)
    method =
      switch effort {
      case .high: .zlib(isRepetitive ? 9 : 7)
      default: isRepetitive || !isFiltered ? .zlib(4) : .fast
      }
  }

  private init(isFiltered: Bool, method: PNGDeflater.Method) {
    (self.isFiltered, self.method) = (isFiltered, method)
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
  private func byteCount(
    of rows: PNGStoredRows, _ bands: [Range<Int>]
  ) throws(PNGDeflater.Failure) -> (whole: Int, deflated: Int) {
    var (whole, deflated) = (0, 0)
    for band in bands {
      let deflater = try PNGDeflater(method, isFiltered: isFiltered, pieceByteCount: 16 << 10)
      try forEachRow(of: rows, band) { (bytes, isLast) throws(PNGDeflater.Failure) in
        whole += bytes.count
        try deflater.deflate(bytes, isLast: isLast) { deflated += $0.count }
      }
    }
    return (whole, deflated)
  }

  /// Calls `body` with each row of a range, after the number of its filter.
  func forEachRow<Failure: Error>(
    of rows: PNGStoredRows, _ range: Range<Int>,
    _ body: (_ bytes: UnsafeRawBufferPointer, _ isLast: Bool) throws(Failure) -> Void
  ) throws(Failure) {
    let filter = PNGFilter(rowByteCount: rows.rowByteCount, pixelByteCount: rows.pixelByteCount)
    let straight = UnsafeMutableRawBufferPointer.allocate(
      byteCount: rows.bitmap.size.width * rows.bitmap.format.bytesPerPixel, alignment: 16)
    defer { straight.deallocate() }
    try rows.bitmap.withUnsafeBytes { (pixels) throws(Failure) in
      // `straight` holds a row of the bitmap, `filter.row` a row of the file.
      guard let scratch = straight.baseAddress else { return }
      for y in range {
        rows.write(y, of: pixels, to: filter.row, straight: scratch)
        try filter.withFiltered(isFiltered: isFiltered) { (bytes) throws(Failure) in
          try body(bytes, y == range.upperBound - 1)
        }
        filter.advance()
      }
    }
  }
}
