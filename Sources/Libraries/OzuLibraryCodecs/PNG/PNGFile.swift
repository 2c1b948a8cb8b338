import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

/// A PNG whose chunks have been read.
final class PNGFile: ImageFile {
  static let stepRows = 32
  static let imageStage = "image data"

  let data: Data
  let details: PNGHeader
  let header: ImageHeader
  private let slot = FeedSlot()

  init(_ data: Data, _ details: PNGHeader) {
    self.data = data
    self.details = details
    var header = details.imageHeader(data.span)
    if let cut = details.cutFrame {
      header.noteCut(wholeFrames: cut, ofAtLeast: details.announcedFrameCount, isExact: true)
    }
    self.header = header
  }

  /// Makes the result: from means of squares if the plan averages, else from pixels.
  func render(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    if let averaging = plan.averaging,
      let planes = try withReader(
        context,
        { (reader, size) throws(ImageDecodingError) in
          try reader.planes(size: size, step: averaging.luma, context: context)
        })
    {
      context.begin(.resize)
      return try plan.rendered(planes, header: header, context: context)
    }
    return try renderFromPixels(plan, context: context)
  }

  /// Provides the rows of `PNGRowReader`; `nil` if libpng has to decode the file.
  func withReader<Result>(
    _ context: DecodingContext, _ body: (PNGRowReader, PixelSize) throws(ImageDecodingError) -> Result?
  ) throws(ImageDecodingError) -> Result? {
    // From a truncated file, libpng decodes more.
    guard !context.allowsTruncation else { return nil }
    return try data.withBytes { (bytes) throws(ImageDecodingError) in
      guard
        let reader = PNGRowReader(
          bytes, header: details, pool: context.pool, inflating: Inflater.self)
      else { return nil }
      return try body(reader, details.size)
    }
  }

  /// Decodes the picture.
  ///
  /// - Throws: `ImageDecodingError`; `truncated` if the file ends before the pixels do, unless the context allows it:
  ///   then the rest is transparent, or grey in a picture without alpha.
  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    let format = header.pixelFormat(under: context.pixelFormats)
    try context.limits.checkDecodedByteCount(header.storedSize.byteCount(as: format))
    if format == .bgra8 || format == .rgba16 && details.bitDepth == 16,
      let bitmap = try withReader(
        context,
        { (reader, size) throws(ImageDecodingError) in
          try reader.bitmap(
            size: size, format: format, alpha: context.alpha, colorSpace: header.storedColorSpace,
            context: context)
        })
    {
      return bitmap
    }
    return try data.withBytes { (bytes) throws(ImageDecodingError) in
      let session = try PNGSession(bytes)
      let layout = try session.open(
        size: header.storedSize, format: format, wantsPartial: context.allowsTruncation)
      return try Bitmap(
        size: header.storedSize, format: format, isOpaque: !layout.hasAlpha,
        colorSpace: header.storedColorSpace, pool: context.pool
      ) { (pixels, bytesPerRow) throws(ImageDecodingError) in
        let rows = PNGRows(
          size: header.storedSize, pixels: pixels, bytesPerRow: bytesPerRow, format: format,
          multipliesAlpha: layout.hasAlpha && context.alpha == .premultiplied)
        if context.allowsTruncation { pixels.fillMissing(isOpaque: !layout.hasAlpha, format: format) }
        try read(rows, of: session, passCount: layout.passCount, context)
      }
    }
  }

  func readMetadata() -> ImageMetadata {
    PNGMetadata.read(data.span, header: header) { PNGHeader.inflated($0, limit: ImageMetadata.largestBlock) }
  }

  /// The frames of an animation.
  ///
  /// - Throws: `corrupt`.
  func frames(limits: DecodingLimits) throws(ImageDecodingError) -> (any AnimationFrameReading)? {
    guard header.frameCount > 1 else { return nil }
    let limit = min(limits.frameCount, details.cutFrame ?? .max)
    guard limit > 1 else { return nil }
    let frames = try PNGFrames(data, header: header, frameLimit: limit)
    return frames.frames.count > 1 ? frames : nil
  }

  func feed(
    _ data: Data, plan: DecodePlan, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap? {
    try slot.preview(of: data, context: context) { () throws(ImageDecodingError) in
      try PNGFeed(header: header)
    }
  }

  private func read(
    _ rows: PNGRows, of session: borrowing PNGSession, passCount: Int, _ context: DecodingContext
  ) throws(ImageDecodingError) {
    for pass in 1...passCount {
      for y in stride(from: 0, to: rows.size.height, by: Self.stepRows) {
        try context.checkpoint()
        let range = y..<min(y + Self.stepRows, rows.size.height)
        switch session.readRows(rows, range, fillsBlocks: context.allowsTruncation) {
        case .done, .more:
          if pass == passCount { rows.finish(range) }
        case .truncated:
          try context.acceptTruncation(of: .png, stage: Self.imageStage)
          // If this is the last pass, the rows above were finished by it already.
          rows.finish(pass == passCount ? y..<rows.size.height : 0..<rows.size.height)
          return
        case .failed: throw session.failure(stage: Self.imageStage)
        }
      }
    }
  }
}

/// A PNG that is decoded while it is downloaded: row by row, or in the seven passes of an interlaced file, of which
/// the first shows blocks of eight by eight pixels.
///
/// libpng reads a file that arrives in pieces with other functions than a whole file, and those take a damaged row
/// for a missing one. So whole files are read by `PNGSession`.
///
/// The library receives only the chunks that make pixels: it would collect the others until they are complete,
/// whatever length they declare.
///
/// `@unchecked Sendable`: `FeedSlot` makes sure that one thread at a time calls it.
final class PNGFeed: PictureFeed, @unchecked Sendable {
  /// The bytes between two checkpoints: they inflate to at most four megabytes.
  private static let stepByteCount = 4096
  /// Palettes and transparency have at most 768 bytes.
  private static let longestTable = 4096

  private let feed: OpaquePointer
  private let header: ImageHeader
  private let pixels: IncrementalPixels
  /// The end of the part of the file that the library has received or that was skipped.
  private var position = 0
  /// The end of the chunk of which the library has received the beginning.
  private var chunkEnd = 0
  private var isWhole = false
  private var shownProgress: UInt64 = 0

  init(header: ImageHeader) throws(ImageDecodingError) {
    let size = header.storedSize
    let pixels = IncrementalPixels(size: size)
    guard let feed = ozu_png_feed_new(pixels.rows)
    else { throw .corrupt(.png, stage: PNGHeader.stage, reason: "out of memory") }
    self.feed = feed
    self.header = header
    self.pixels = pixels
  }

  deinit {
    ozu_png_feed_free(feed)
  }

  /// Decodes the bytes that are there; `nil` if there is nothing new to show.
  func preview(of data: Data, context: DecodingContext) throws(ImageDecodingError) -> Bitmap? {
    try read(data, context)
    let progress = ozu_png_feed_progress(feed)
    guard progress > shownProgress else { return nil }
    shownProgress = progress
    let hasAlpha = ozu_png_feed_has_alpha(feed)
    return pixels.copy(
      rows: Int(ozu_png_feed_rows(feed)), isOpaque: !hasAlpha, colorSpace: header.storedColorSpace,
      pool: context.pool
    ) { row, width in
      if hasAlpha { Premultiplication.apply(to: row, width: width) }
    }
  }

  private func read(_ data: Data, _ context: DecodingContext) throws(ImageDecodingError) {
    if position == 0, data.count >= PNGChunk.firstOffset {
      try give(data, 0..<PNGChunk.firstOffset)
      chunkEnd = position
    }
    while !isWhole, position < data.count {
      try context.checkpoint()
      if position < chunkEnd {
        try give(data, position..<min(position + Self.stepByteCount, chunkEnd, data.count))
        continue
      }
      guard let chunk = PNGChunk(data.span, at: position) else { return }
      chunkEnd = chunk.end
      if !chunk.makesPixels {
        position = chunkEnd
      } else if !chunk.isImageData, chunk.byteCount > Self.longestTable {
        throw .corrupt(.png, stage: PNGHeader.stage, reason: "a palette of \(chunk.byteCount) bytes")
      }
    }
  }

  private func give(_ data: Data, _ range: Range<Int>) throws(ImageDecodingError) {
    let status = data.withBytes { bytes in
      let piece = UnsafeRawBufferPointer(rebasing: bytes[range])
      return ozu_png_feed_give(feed, piece.bindMemory(to: UInt8.self).baseAddress, piece.count)
    }
    position = range.upperBound
    switch status {
    case .done: isWhole = true
    case .more, .truncated: break
    case .failed:
      throw .corrupt(.png, stage: PNGFile.imageStage, reason: String(cString: ozu_png_feed_message(feed)))
    }
  }
}

/// The rows of the bitmap that a PNG is decoded into.
struct PNGRows {
  let size: PixelSize
  /// The bytes of the bitmap, used only while it is made: `size.height` rows, `bytesPerRow` apart.
  let pixels: UnsafeMutableRawBufferPointer
  let bytesPerRow: Int
  let format: PixelFormat
  let multipliesAlpha: Bool

  /// Converts rows that are completely decoded to the form of the bitmap.
  func finish(_ range: Range<Int>) {
    guard multipliesAlpha, let start = pixels.baseAddress else { return }
    for y in range { Premultiplication.apply(to: start + y * bytesPerRow, width: size.width, format) }
  }
}

/// One decode of a file by libpng; ends with the value.
///
/// The bytes must outlive it: it is made and used inside one `withBytes`, and cannot be copied out.
struct PNGSession: ~Copyable {
  private let decoder: OpaquePointer

  init(_ bytes: UnsafeRawBufferPointer) throws(ImageDecodingError) {
    let start = bytes.bindMemory(to: UInt8.self).baseAddress
    guard let decoder = ozu_png_decoder_new(start, bytes.count) else {
      throw .corrupt(.png, stage: PNGHeader.stage, reason: "out of memory")
    }
    self.decoder = decoder
  }

  deinit {
    ozu_png_decoder_free(decoder)
  }

  /// Reads the chunks before the pixels.
  func open(
    size: PixelSize, format: PixelFormat, wantsPartial: Bool
  ) throws(ImageDecodingError) -> (passCount: Int, hasAlpha: Bool) {
    var passCount: Int32 = 1
    var hasAlpha = false
    let status = ozu_png_decoder_open(
      decoder, UInt32(size.width), UInt32(size.height), format.pixels, wantsPartial, &passCount, &hasAlpha)
    switch status {
    case .done, .more: return (Int(passCount), hasAlpha)
    case .truncated: throw .truncated(.png, stage: PNGHeader.stage)
    case .failed: throw failure(stage: PNGHeader.stage)
    }
  }

  func readRows(_ rows: PNGRows, _ range: Range<Int>, fillsBlocks: Bool) -> OzuStatus {
    let memory = OzuRows(
      range, of: rows.pixels, bytesPerRow: rows.bytesPerRow, width: rows.size.width, format: rows.format)
    return ozu_png_decoder_read_rows(decoder, memory, fillsBlocks)
  }

  func failure(stage: String) -> ImageDecodingError {
    .corrupt(.png, stage: stage, reason: String(cString: ozu_png_decoder_message(decoder)))
  }
}
