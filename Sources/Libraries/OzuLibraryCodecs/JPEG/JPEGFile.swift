import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

/// A JPEG whose markers have been read.
final class JPEGFile: ImageFile {
  /// The rows, or rows of blocks, between two checkpoints.
  private static let stepRows = 32
  static let scanStage = "scan data"

  let data: Data
  let outline: JPEGOutline
  /// The header of the outline, except that a thumbnail takes over some facts of its picture.
  let header: ImageHeader
  private let slot = FeedSlot()

  init(_ data: Data, _ outline: JPEGOutline, header: ImageHeader? = nil) {
    self.data = data
    self.outline = outline
    self.header = header ?? outline.header
  }

  /// An eighth, a quarter, a half and the full size. Of a file that the reduced decoder does not support, only those at
  /// which libjpeg keeps the colours; of others it makes only previews at an eighth.
  var scales: [Int] { outline.frame == nil ? outline.details.scalesOfFullColor : [1, 2, 4, 8] }

  /// Makes the result: from planes at a few eighths if the plan has a reduction and the reduced decoder supports
  /// the file, from pixels otherwise.
  func render(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    if let cut = plan.cut {
      return try render(plan, from: excerpt(cut, of: plan, context), context: context)
    }
    if let bitmap = try ReducedJPEGDecoder.render(data, outline, header: header, plan: plan, context: context)
    {
      return bitmap
    }
    return try renderFromPixels(plan, context: context)
  }

  /// Decodes the picture at the plan's scale.
  ///
  /// A file of several scans needs the coefficients of the whole picture in memory, whatever the scale is: they
  /// count towards `decodedByteCount`.
  ///
  /// - Throws: `ImageDecodingError`; `unsupportedType` for lossless and 12-bit files; `truncated` if data are missing,
  ///   unless the context allows it: then the missing parts are grey.
  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    if let reason = outline.details.unsupportedReason { throw .unsupportedType(.jpeg, reason: reason) }
    if let cut = plan.cut { return try decode(plan, cut: cut, context) }
    let format = header.pixelFormat(under: context.pixelFormats)
    try context.limits.checkDecodedByteCount(
      plan.decodedSize.byteCount(as: format) + outline.coefficientByteCount)
    return try data.withBytes { (bytes) throws(ImageDecodingError) in
      let session = try session(bytes, plan, keepsGray: format == .gray8, context)
      try readScans(of: session, context)
      // CMYK is converted here, not at the size of the result, because a bitmap has no place for four inks.
      let inks = inkTransform(context)
      if inks != nil { ozu_jpeg_decoder_keep_cmyk(session.decoder) }
      return try Bitmap(
        size: plan.decodedSize, format: format, isOpaque: true,
        colorSpace: header.colorModel == .cmyk ? .sRGB : header.storedColorSpace, pool: context.pool
      ) { (pixels, bytesPerRow) throws(ImageDecodingError) in
        try readRows(of: session, plan.decodedSize, format, into: pixels, bytesPerRow, context)
        guard let inks, let start = pixels.baseAddress else { return }
        for y in 0..<plan.decodedSize.height {
          // Rows are `bytesPerRow` apart, and the decoder has written each of them.
          let row = start + y * bytesPerRow
          inks.apply(to: row, count: plan.decodedSize.width)
          Premultiplication.makeOpaque(row, width: plan.decodedSize.width)
        }
      }
    }
  }

  func readMetadata() -> ImageMetadata { JPEGMetadata.read(data.span, header: header) }

  func feed(
    _ data: Data, plan: DecodePlan, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap? {
    try slot.preview(of: data, context: context) { () throws(ImageDecodingError) in
      try JPEGFeed(outline, plan: plan, context: context)
    }
  }

  /// Opens the file with the library, for use inside the closure that provides its bytes.
  func session(
    _ bytes: UnsafeRawBufferPointer, _ plan: DecodePlan, keepsGray: Bool = false, _ context: DecodingContext
  ) throws(ImageDecodingError) -> JPEGSession {
    try outline.checkScans(context.limits)
    return try JPEGSession.open(
      UnsafeRawBufferPointer(rebasing: bytes[..<outline.end]), plan: plan,
      memoryLimit: outline.libraryByteCount, keepsGray: keepsGray)
  }

  func inkTransform(_ context: DecodingContext) -> ColorTransform? {
    guard header.colorModel == .cmyk, context.colorPolicy.converts(header),
      let encoding = header.colorEncoding
    else { return nil }
    return ColorTransform.cached(encoding, .CMYK)
  }

  /// Reads all scans if there are several; after that, rows can be read.
  func readScans(
    of session: borrowing JPEGSession, _ context: DecodingContext
  ) throws(ImageDecodingError) {
    scans: while true {
      try context.checkpoint()
      switch ozu_jpeg_decoder_consume(session.decoder, Int32(Self.stepRows)) {
      case .more: continue
      case .done: break scans
      case .truncated:
        try context.acceptTruncation(of: .jpeg, stage: Self.scanStage)
        break scans
      case .failed: throw session.failure(stage: Self.scanStage)
      }
    }
    guard ozu_jpeg_decoder_start_output(session.decoder) == .done else {
      throw session.failure(stage: Self.scanStage)
    }
  }

  private func readRows(
    of session: borrowing JPEGSession, _ size: PixelSize, _ format: PixelFormat,
    into pixels: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int, _ context: DecodingContext
  ) throws(ImageDecodingError) {
    for y in stride(from: 0, to: size.height, by: Self.stepRows) {
      try context.checkpoint()
      let count = min(Self.stepRows, size.height - y)
      let rows = OzuRows(
        y..<y + count, of: pixels, bytesPerRow: bytesPerRow, width: size.width, format: format)
      switch ozu_jpeg_decoder_read_rows(session.decoder, rows) {
      case .done, .more: continue
      case .truncated:
        try context.acceptTruncation(of: .jpeg, stage: Self.scanStage)
      case .failed: throw session.failure(stage: Self.scanStage)
      }
    }
  }
}

extension JPEGFile {
  /// The pixels of a part at the plan's scale, for a caller that calls `decode` directly.
  func decode(
    _ plan: DecodePlan, cut: PixelRectangle, _ context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap {
    if let file = try excerpt(cut, of: plan, context) {
      return try file.decode(plan.onCut, context: context)
    }
    let whole = DecodePlan(of: self, resize: nil, context: context)
    try whole.checkPrice(for: self, context)
    try context.reserve(atLeast: whole.byteCount)
    let bitmap = try decode(whole, context: context)
    return Resampler().resample(
      bitmap, region: PixelRegion(cut), to: plan.decodedSize, pool: context.pool)
  }

  /// A file with a part of this file's blocks; `nil` if it cannot be cut.
  private func excerpt(
    _ cut: PixelRectangle, of plan: DecodePlan, _ context: DecodingContext
  ) throws(ImageDecodingError) -> JPEGFile? {
    let bytes = try JPEGExcerpt.file(
      data, outline, cut: cut, renderByteCount: plan.byteCount, context: context)
    guard let bytes else { return nil }
    var own = header
    own.storedSize = cut.size
    own.regionUnit = nil
    own.hasParts = false
    return JPEGFile(bytes, try JPEGOutline(bytes, limits: context.limits), header: own)
  }
}

extension JPEGFile {
  /// Decodes the thumbnail in the EXIF data, which is a JPEG of its own (CIPA DC-008 §4.5.5).
  ///
  /// - Throws: only `cancelled` and `limitExceeded`.
  func embeddedThumbnail(
    atLeast smallest: PixelSize, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap? {
    guard header.metadata?.hasThumbnail == true, let range = EXIFThumbnail.range(inJPEG: data.span) else {
      return nil
    }
    let bytes = data.subdata(in: data.startIndex + range.lowerBound..<data.startIndex + range.upperBound)
    do throws(ImageDecodingError) {
      let outline = try JPEGOutline(bytes, limits: context.limits)
      var own = outline.header
      guard own.storedSize.width >= smallest.width, own.storedSize.height >= smallest.height,
        own.colorModel == header.colorModel
      else { return nil }
      try context.limits.check(own)
      // It has the colours of the picture, but rarely declares them.
      own.colorEncoding = header.colorEncoding
      own.orientation = .up
      let file = JPEGFile(bytes, outline, header: own)
      let plan = DecodePlan(of: file, resize: nil, context: context)
      try context.limits.checkDecodedByteCount(plan.byteCount)
      // Nothing else has been decoded yet.
      try context.reserve(atLeast: plan.byteCount)
      return try file.decode(plan, context: context)
    } catch {
      switch error {
      case .cancelled, .limitExceeded: throw error
      default: return nil
      }
    }
  }
}

/// One decode of a file by libjpeg; ends with the value.
///
/// The library reads the caller's bytes: those of a whole file while the value lives, or the bytes that have
/// arrived, for one call.
struct JPEGSession: ~Copyable {
  let decoder: OpaquePointer

  /// Makes a session that has no bytes yet.
  init() throws(ImageDecodingError) {
    guard let decoder = ozu_jpeg_decoder_new() else {
      throw .corrupt(.jpeg, stage: JPEGHeader.stage, reason: "out of memory")
    }
    self.decoder = decoder
  }

  /// Opens a whole file. Its bytes must outlive the session: it is made and used inside one `withBytes`, and cannot
  /// be copied out.
  ///
  /// - Parameter plan: the plan for this file. Its size is compared with the size that the library reads.
  static func open(
    _ bytes: UnsafeRawBufferPointer, plan: DecodePlan, memoryLimit: Int, keepsGray: Bool = false
  ) throws(ImageDecodingError) -> JPEGSession {
    let session = try JPEGSession()
    let decoder = session.decoder
    ozu_jpeg_decoder_lend(decoder, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, true)
    guard try session.readHeader(plan: plan, memoryLimit: memoryLimit) else {
      throw .truncated(.jpeg, stage: JPEGHeader.stage)
    }
    if keepsGray {
      guard ozu_jpeg_decoder_keep_gray(decoder) else { throw session.failure(stage: JPEGHeader.stage) }
    }
    guard ozu_jpeg_decoder_start(decoder) == .done else { throw session.failure(stage: JPEGHeader.stage) }
    return session
  }

  deinit {
    ozu_jpeg_decoder_free(decoder)
  }

  /// Reads the header again with the library, and checks that both agree; `false` if bytes are missing.
  func readHeader(plan: DecodePlan, memoryLimit: Int) throws(ImageDecodingError) -> Bool {
    var width: Int32 = 0
    var height: Int32 = 0
    switch ozu_jpeg_decoder_open(decoder, Int32(plan.eighths), memoryLimit, &width, &height) {
    case .done, .more: break
    case .truncated: return false
    case .failed: throw failure(stage: JPEGHeader.stage)
    }
    guard plan.decodedSize == PixelSize(Int(width), Int(height)) else {
      throw .corrupt(.jpeg, stage: JPEGHeader.stage, reason: "it declares two sizes")
    }
    return true
  }

  func failure(stage: String) -> ImageDecodingError {
    .corrupt(.jpeg, stage: stage, reason: String(cString: ozu_jpeg_decoder_message(decoder)))
  }
}
