import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

/// The bands in which a picture of tiles is decoded if the limits do not allow all of it at once: those of 48 megapixels
/// and more that telephones write as HEIC, and grids of AVIF.
///
/// libheif and libavif decode a picture in one call, and keep all of it twice. A band is a row of tiles, or a column if the picture is
/// turned by a quarter. Pieces of it, each a file of its own with a few tiles, are decoded one after the other; their rows
/// are resampled, and they are freed before the next band. So the memory is that of a band, and the time is checked before
/// each piece. Chroma at the edge of a piece is enlarged without that of the next one, so smaller pictures are decoded
/// at once.
struct LibraryBands {
  let bands: [[PixelRectangle]]
  let demand: DecodingDemand
}

extension LibraryFile {
  /// The bands of a plan; `nil` if the library decodes all pixels at once.
  func bands(of plan: DecodePlan, _ context: DecodingContext) -> LibraryBands? {
    guard let grid, plan.averaging == nil, !plan.needsNoResampling else { return nil }
    let format = plan.pixelFormat(of: header, context)
    guard format != .rgba16 else { return nil }
    let limits = context.limits
    let price = plan.peakByteCount(header, format: format, context, demand: wholeDemand(of: plan))
    let pixelCount = header.storedSize.pixelCount
    guard plan.cut == nil && pixelCount > limits.pixelCount || price > limits.decodedByteCount,
      // Its time is ten times that of a reduced JPEG, which may have twice as many. Tiles may share their bytes.
      pixelCount / 2 <= limits.pixelCount,
      grid.byteCount(of: PixelRectangle(grid.size)) <= limits.encodedByteCount
    else { return nil }
    let bands = grid.bands(of: plan.cut ?? PixelRectangle(grid.size))
    let pieces = bands.joined()
    guard pieces.allSatisfy({ $0.size.pixelCount <= limits.pixelCount }) else { return nil }
    let kept = bands.map { band in
      band.reduce(0) { $0.saturatingSum($1.size.bitmapByteCount(as: .bgra8)) }
    }
    let scratch = scratchByteCount
    let decoding = pieces.map { piece in
      // The bytes of the piece's file, and those of the excerpt of it that the library reads.
      self.scratch(scratch, perColumn: 0, of: piece)
        .saturatingSum(grid.byteCount(of: piece).saturatingProduct(2))
    }
    let byteCount = (kept.max() ?? 0).saturatingSum(decoding.max() ?? 0)
    return LibraryBands(
      bands: bands, demand: DecodingDemand(byteCount: byteCount, deliversRows: true, isPiecewise: true))
  }

  /// The pixels of a piece as the library returns them.
  fileprivate func decode(piece: PixelRectangle, _ context: DecodingContext) throws(ImageDecodingError)
    -> Bitmap
  {
    guard let bytes = grid?.file(of: piece, in: data) else {
      throw .corrupt(header.type, stage: "header", reason: "it has no part at \(piece)")
    }
    let file = try LibraryFile(bytes, library: library, limits: context.limits, partOf: header)
    let plan = DecodePlan(of: file, resize: nil, context: context)
    return try file.decode(plan, context: context).converted(to: .bgra8, pool: context.pool)
  }
}

/// The rows of a picture that is decoded in bands. It stays on the thread that decodes.
final class LibraryBandRows: PixelRowReading {
  let size: PixelSize
  let isOpaque: Bool
  let colorSpace: ColorSpaceTag
  private let file: LibraryFile
  private var context: DecodingContext
  private var bands: ArraySlice<[PixelRectangle]>
  /// The pieces of the band that is read, from left to right.
  private var pieces: [Bitmap] = []
  /// The number of its rows that were read.
  private var rowCount = 0

  init(_ bands: LibraryBands, of file: LibraryFile, size: PixelSize, context: DecodingContext) {
    self.bands = bands.bands[...]
    self.file = file
    self.size = size
    self.context = context
    isOpaque = !file.header.hasAlpha
    colorSpace = file.header.storedColorSpace
  }

  func readRow(into row: inout MutableSpan<UInt8>) throws(ImageDecodingError) {
    if rowCount == pieces.first?.size.height ?? 0 { try readBand() }
    let y = rowCount
    rowCount += 1
    row.withUnsafeMutableBytes { row in
      var place = 0
      for piece in pieces {
        let (start, width) = (y * piece.bytesPerRow, piece.size.width * 4)
        piece.withUnsafeBytes {
          // The pieces are as wide as the picture together, and each has this row, as was checked.
          UnsafeMutableRawBufferPointer(rebasing: row[place..<place + width])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + width]))
        }
        place += width
      }
    }
  }

  private func readBand() throws(ImageDecodingError) {
    // The memory of a band is free before the next one is decoded.
    pieces = []
    rowCount = 0
    guard let band = bands.popFirst() else {
      throw .corrupt(file.header.type, stage: LibrarySession.imageStage, reason: "it has too few rows")
    }
    for piece in band {
      try context.checkpoint()
      let decoding = context
      func decode() throws(ImageDecodingError) -> Bitmap { try file.decode(piece: piece, decoding) }
      // libheif 1.15 decodes HEVC on a thread of its own.
      let hasThread = file.library.type == .heic
      pieces.append(hasThread ? try context.countingOtherThreads(decode) : try decode())
    }
    let width = pieces.reduce(0) { $0 + $1.size.width }
    let height = pieces.first?.size.height ?? 0
    guard width == size.width, pieces.allSatisfy({ $0.size.height == height }),
      width * height == band.reduce(0, { $0 + $1.size.pixelCount })
    else {
      throw .corrupt(
        file.header.type, stage: LibrarySession.imageStage,
        reason: "its parts have other sizes than their tiles")
    }
  }
}

extension LibraryFile {
  /// Delivers the rows that the library makes, if it can.
  ///
  /// - Throws: the errors of `decode`.
  func withRows<Result>(
    _ plan: DecodePlan, context: DecodingContext,
    _ body: (any PixelRowReading) throws(ImageDecodingError) -> Result
  ) throws(ImageDecodingError) -> Result? {
    if let bands = bands(of: plan, context) {
      return try body(
        LibraryBandRows(bands, of: self, size: plan.decodedSize, context: context))
    }
    guard deliversRows else { return nil }
    if let cut = plan.cut {
      return try part(cut, of: plan, context)?.withRows(plan.onCut, context: context, body)
    }
    return try use { (session) throws(ImageDecodingError) in
      try session.withRows(header: header, context, body)
    }
  }

  /// The means of squares of pixels, made from rows that are not kept.
  func averagedRows(
    _ averaging: PlaneAveraging, _ context: DecodingContext
  ) throws(ImageDecodingError) -> PlanarPicture {
    try use { (session) throws(ImageDecodingError) in
      try session.averagedRows(header: header, step: averaging.luma, context)
    }
  }
}
