import CCodecs
import OzuCodecs
import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes PNG: every colour type and depth, interlaced or not, animated; the picture of an animation is the still
/// one that stands for it.
///
/// Whole files of 8 bits that are not interlaced are read by `PNGRowReader`, row by row and averaged on the way where
/// the result is small; all others, and what is wrong with any, are for libpng.
///
/// Pixels are brought to 8 bits (of 16, the high byte), unless the context asks for what is stored, and keep their values: gamma and profile are not
/// applied. Chunks that pixels do not need are never inflated.
public struct PNGDecoder: AnimationDecoding {
  private static let stepRows = 32
  private static let imageStage = "image data"
  let alpha: Alpha

  /// Makes a decoder.
  public init() {
    alpha = .premultiplied
  }

  package init(alpha: Alpha) {
    self.alpha = alpha
  }

  /// PNG.
  public var types: [ImageType] { [.png] }

  /// Steps through the chunks of the file.
  ///
  /// - Throws: `corrupt`, `truncated`.
  /// - Complexity: O(chunks).
  public func header(of data: Data, limits: DecodingLimits) throws(DecodingError) -> ImageHeader {
    let header = try PNGHeader(data.span)
    let colorModels: [PNGHeader.ColorType: ImageHeader.ColorModel] = [
      .gray: .gray, .grayAlpha: .gray, .indexed: .indexed,
    ]
    return ImageHeader(
      type: .png, storedSize: header.size, orientation: header.orientation ?? .up,
      bitsPerComponent: header.bitDepth, colorModel: colorModels[header.colorType] ?? .rgb,
      hasAlpha: header.colorType.hasAlpha || header.hasTransparencyChunk,
      colorProfileName: header.colorProfileName, frameCount: header.frameCount,
      isProgressive: header.isInterlaced,
      planeLayout: header.bitDepth == 8 && !header.isInterlaced && alpha == .premultiplied
        ? PlaneLayout(chromaStep: nil, source: .rows) : nil,
      colorEncoding: header.colorEncoding(data.span),
      dotsPerInch: header.dotsPerInch, metadata: header.metadata)
  }

  /// Makes the result: from means of squares where the plan averages, else from pixels.
  ///
  /// - Throws: `DecodingError`, as `decode` does.
  public func render(
    _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    if let averaging = plan.averaging,
      let planes = try withRows(
        of: data, context,
        { (reader, size) throws(DecodingError) in
          try reader.planes(size: size, step: averaging.luma, context: context)
        })
    {
      context.begin(.resize)
      return try plan.rendered(planes, header: header, context: context)
    }
    return try renderFromPixels(data, header: header, plan: plan, context: context)
  }

  /// Lends the rows of a common file; `nil` for one that is for libpng.
  private func withRows<Result>(
    of data: Data, _ context: DecodingContext,
    _ body: (PNGRowReader, PixelSize) throws(DecodingError) -> Result?
  ) throws(DecodingError) -> Result? {
    // Of a file that ends early libpng makes more.
    guard !context.allowsTruncation else { return nil }
    let details = try PNGHeader(data.span)
    return try data.withBytes { (bytes) throws(DecodingError) in
      guard
        let reader = PNGRowReader(
          bytes, header: details, pool: context.pool, inflating: Inflater.self)
      else { return nil }
      return try body(reader, details.size)
    }
  }

  /// Decodes the picture.
  ///
  /// - Throws: `DecodingError`; `truncated` when the file ends before the pixels do, unless the context allows
  ///   it: then the rest is transparent, or grey in a picture without alpha.
  public func decode(
    _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    let format = header.pixelFormat(under: context.pixelFormats)
    try context.limits.checkDecodedByteCount(header.storedSize.byteCount(as: format))
    if format == .bgra8,
      let bitmap = try withRows(
        of: data, context,
        { (reader, size) throws(DecodingError) in
          try reader.bitmap(
            size: size, alpha: alpha, colorSpace: header.storedColorSpace, context: context)
        })
    {
      return bitmap
    }
    return try data.withBytes { (bytes) throws(DecodingError) in
      let session = try PNGSession(bytes)
      let layout = try session.open(
        size: header.storedSize, format: format, wantsPartial: context.allowsTruncation)
      return try Bitmap(
        size: header.storedSize, format: format, isOpaque: !layout.hasAlpha,
        colorSpace: header.storedColorSpace, pool: context.pool
      ) { (pixels, bytesPerRow) throws(DecodingError) in
        let rows = PNGRows(
          size: header.storedSize, pixels: pixels, bytesPerRow: bytesPerRow, format: format,
          multipliesAlpha: layout.hasAlpha && alpha == .premultiplied)
        if context.allowsTruncation { pixels.fillMissing(isOpaque: !layout.hasAlpha, format: format) }
        try read(rows, of: session, passCount: layout.passCount, context)
      }
    }
  }

  /// The frames of an animation.
  ///
  /// - Throws: `corrupt`.
  public func frames(
    of data: Data, header: ImageHeader, limits: DecodingLimits
  ) throws(DecodingError) -> (any AnimationFrameReading)? {
    let frames = try PNGFrames(data, header: header, alpha: alpha, frameLimit: limits.frameCount)
    return frames.frames.count > 1 ? frames : nil
  }

  private func read(
    _ rows: PNGRows, of session: borrowing PNGSession, passCount: Int, _ context: DecodingContext
  ) throws(DecodingError) {
    for pass in 1...passCount {
      for y in stride(from: 0, to: rows.size.height, by: Self.stepRows) {
        try context.checkpoint()
        let range = y..<min(y + Self.stepRows, rows.size.height)
        switch session.readRows(rows, range, fillsBlocks: context.allowsTruncation) {
        case .done, .more:
          if pass == passCount { rows.finish(range) }
        case .truncated:
          guard context.allowsTruncation else { throw .truncated(.png, stage: Self.imageStage) }
          // Rows above were finished by the last pass, if this is it.
          rows.finish(pass == passCount ? y..<rows.size.height : 0..<rows.size.height)
          return
        case .failed: throw session.failure(stage: Self.imageStage)
        }
      }
    }
  }
}
