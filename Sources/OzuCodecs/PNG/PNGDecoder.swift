import CCodecs
import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes PNG through libpng: every colour type and depth, interlaced or not, animated;
/// the picture of an animation is the still one that stands for it.
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
      isProgressive: header.isInterlaced, colorEncoding: header.colorEncoding(data.span),
      dotsPerInch: header.dotsPerInch, metadata: header.metadata)
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
    let frames = try PNGFrames(data, header: header, alpha: alpha)
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
