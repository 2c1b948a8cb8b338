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

/// The rows of a bitmap as PNG stores them: RGB if all pixels are opaque, else RGBA with the colours divided by
/// alpha; 16 bits with the high byte first; grey as it is.
struct PNGStoredRows {
  let bitmap: Bitmap
  let hasAlpha: Bool

  init(_ bitmap: Bitmap) {
    self.bitmap = bitmap
    hasAlpha = !bitmap.isOpaque && bitmap.hasTransparentPixel
  }

  /// The rows of a frame; all frames have the pixel format of the first.
  init(_ bitmap: Bitmap, hasAlpha: Bool) {
    (self.bitmap, self.hasAlpha) = (bitmap, hasAlpha)
  }

  var isDeep: Bool { bitmap.format == .rgba16 }

  /// The bytes of a pixel, which is the distance to the "left" byte of filters.
  var pixelByteCount: Int {
    switch bitmap.format {
    case .gray8: 1
    case .bgra8: hasAlpha ? 4 : 3
    case .rgba16: hasAlpha ? 8 : 6
    }
  }

  var rowByteCount: Int { bitmap.size.width * pixelByteCount }

  /// The colour type of IHDR (third edition, §11.2.1).
  var colorType: UInt8 { bitmap.format == .gray8 ? 0 : hasAlpha ? 6 : 2 }

  /// Writes row `y` of the bitmap's `pixels` to a block of `rowByteCount` bytes.
  ///
  /// Unsafe pointers: a row of the bitmap has its width times the bytes of its format, and `straight` has the same
  /// number.
  func write(
    _ y: Int, of pixels: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer,
    straight: UnsafeMutableRawPointer
  ) {
    guard let start = pixels.baseAddress else { return }
    let (width, row) = (bitmap.size.width, start + y * bitmap.bytesPerRow)
    switch bitmap.format {
    case .gray8: target.copyMemory(from: row, byteCount: width)
    case .bgra8 where hasAlpha:
      Premultiplication.undo(row, to: straight, width: width)
      let (source, words) = (straight.assumingMemoryBound(to: UInt32.self), target)
      for x in 0..<width {
        let pixel = UInt32(littleEndian: source[x])
        let swapped = pixel & 0xFF00_FF00 | pixel >> 16 & 0xFF | (pixel & 0xFF) << 16
        words.storeBytes(of: swapped.littleEndian, toByteOffset: x &* 4, as: UInt32.self)
      }
    case .bgra8:
      let (source, bytes) = (
        row.assumingMemoryBound(to: UInt8.self), target.assumingMemoryBound(to: UInt8.self)
      )
      for x in 0..<width {
        bytes[x &* 3] = source[x &* 4 &+ 2]
        bytes[x &* 3 &+ 1] = source[x &* 4 &+ 1]
        bytes[x &* 3 &+ 2] = source[x &* 4]
      }
    case .rgba16:
      var source = row
      if hasAlpha {
        Premultiplication.undoWide(row, to: straight, width: width)
        source = UnsafeRawPointer(straight)
      }
      let (values, channels) = (source.assumingMemoryBound(to: UInt16.self), hasAlpha ? 4 : 3)
      for x in 0..<width {
        for channel in 0..<channels {
          target.storeBytes(
            of: values[x &* 4 &+ channel].bigEndian, toByteOffset: (x &* channels &+ channel) &* 2,
            as: UInt16.self)
        }
      }
    }
  }
}
