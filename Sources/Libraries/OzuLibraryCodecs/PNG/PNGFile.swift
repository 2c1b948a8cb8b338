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
  let alpha: Alpha
  private let slot = FeedSlot<PNGFeed>()

  init(_ data: Data, _ details: PNGHeader, alpha: Alpha) {
    self.data = data
    self.details = details
    self.alpha = alpha
    var header = details.imageHeader(data.span, alpha: alpha)
    if let cut = details.cutFrame {
      header.noteCut(wholeFrames: cut, ofAtLeast: details.announcedFrameCount, isExact: true)
    }
    self.header = header
  }

  /// Makes the result: from means of squares if the plan averages, else from pixels.
  func render(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    if let averaging = plan.averaging,
      let planes = try withRows(
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
  private func withRows<Result>(
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
      let bitmap = try withRows(
        context,
        { (reader, size) throws(ImageDecodingError) in
          try reader.bitmap(
            size: size, format: format, alpha: alpha, colorSpace: header.storedColorSpace, context: context)
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
          multipliesAlpha: layout.hasAlpha && alpha == .premultiplied)
        if context.allowsTruncation { pixels.fillMissing(isOpaque: !layout.hasAlpha, format: format) }
        try read(rows, of: session, passCount: layout.passCount, context)
      }
    }
  }

  /// EXIF data, XMP, the profile and the resolution.
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
    let frames = try PNGFrames(data, header: header, alpha: alpha, frameLimit: limit)
    return frames.frames.count > 1 ? frames : nil
  }

  /// Shows the part of a file that has arrived.
  func feed(
    _ data: Data, plan: DecodePlan, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap? {
    try slot.feed { () throws(ImageDecodingError) in
      try PNGFeed(header: header, alpha: alpha)
    } preview: { (feed) throws(ImageDecodingError) in
      try feed.preview(of: data, context: context)
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
