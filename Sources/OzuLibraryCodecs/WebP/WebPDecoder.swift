#if WebP
  import OzuCodecs
  import OzuImaging

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Decodes WebP through libwebp: lossy, lossless, with alpha; of an animation, the first frame on its canvas.
  public struct WebPDecoder: ImageDecoding {
    static let imageStage = "image data"
    let alpha: Alpha

    /// Makes a decoder.
    public init() {
      alpha = .premultiplied
    }

    package init(alpha: Alpha) {
      self.alpha = alpha
    }

    /// WebP.
    public var types: [ImageType] { [.webp] }

    /// Opens a file: steps through its chunks.
    ///
    /// - Throws: `corrupt`, `truncated`.
    /// - Complexity: O(chunks).
    public func open(_ data: Data, limits: DecodingLimits) throws(DecodingError) -> any ImageFile {
      WebPFile(data, try WebPHeader(data.span, frameLimit: max(1, limits.frameCount)), alpha: alpha)
    }

    /// Opens a file whose picture has begun, and with it all that stands before it.
    ///
    /// EXIF data stand behind the pixels. Where they are announced they are waited for: a picture should not turn
    /// round before people's eyes.
    ///
    /// - Throws: `corrupt`.
    public func open(beginning data: Data, limits: DecodingLimits) throws(DecodingError) -> PartialFile {
      try PartialFile { () throws(DecodingError) in
        let details = try WebPHeader(data.span, frameLimit: max(1, limits.frameCount))
        guard !details.frames.isEmpty, !details.lacksEXIF else { return .tooShort }
        return .opened(WebPFile(data, details, alpha: alpha))
      }
    }

    /// libwebp's second copy of a lossless picture.
    static func copyByteCount(_ frame: WebPHeader.Frame) -> Int {
      frame.isLossless ? frame.size.byteCount(as: .bgra8) : 0
    }

    static func read(
      _ session: borrowing WebPSession, _ frame: WebPHeader.Frame, isOpaque: Bool, _ alpha: Alpha,
      _ context: DecodingContext
    ) throws(DecodingError) {
      let decodedRows = try session.decode(context)
      if decodedRows < frame.size.height {
        guard context.allowsTruncation else { throw .truncated(.webp, stage: imageStage) }
        session.clearRows(from: decodedRows, isOpaque: isOpaque)
      }
      if isOpaque && frame.isLossless {
        // Nothing keeps a lossless picture that announces no alpha from having some.
        session.forEachRow { Premultiplication.makeOpaque($0, width: $1) }
      } else if !isOpaque, alpha == .premultiplied {
        session.forEachRow { Premultiplication.apply(to: $0, width: $1) }
      }
    }
  }
#endif
