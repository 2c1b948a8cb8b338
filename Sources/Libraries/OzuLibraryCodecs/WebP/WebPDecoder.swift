#if WebP
  import OzuCodecs
  import OzuImaging

  import OzuBase

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

    /// Opens a file: reads the structure of its chunks.
    ///
    /// - Throws: `corrupt`, `truncated`.
    /// - Complexity: O(chunks).
    public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
      WebPFile(data, try WebPHeader(data.span, frameLimit: max(1, limits.frameCount)), alpha: alpha)
    }

    /// Opens a file when its picture has begun, and everything before the picture is complete.
    ///
    /// EXIF data come after the pixels. If the header announces them, the file is opened only when they are there:
    /// otherwise the picture could be turned while the user looks at it.
    ///
    /// - Throws: `corrupt`.
    public func open(beginning data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> PartialFile {
      try PartialFile { () throws(ImageDecodingError) in
        let details = try WebPHeader(data.span, frameLimit: max(1, limits.frameCount))
        guard !details.frames.isEmpty, !details.lacksEXIF else { return .tooShort }
        return .opened(WebPFile(data, details, alpha: alpha))
      }
    }

    /// The size of libwebp's second copy of a lossless picture.
    static func copyByteCount(_ frame: WebPHeader.Frame) -> Int {
      frame.isLossless ? frame.size.byteCount(as: .bgra8) : 0
    }

    static func read(
      _ session: borrowing WebPSession, _ frame: WebPHeader.Frame, isOpaque: Bool, _ alpha: Alpha,
      _ context: DecodingContext
    ) throws(ImageDecodingError) {
      let decodedRows = try session.decode(context)
      if decodedRows < frame.size.height {
        try context.acceptTruncation(of: .webp, stage: imageStage)
        session.clearRows(from: decodedRows, isOpaque: isOpaque)
      }
      if isOpaque && frame.isLossless {
        // A lossless picture that announces no alpha may still have some.
        session.forEachRow { Premultiplication.makeOpaque($0, width: $1) }
      } else if !isOpaque, alpha == .premultiplied {
        session.forEachRow { Premultiplication.apply(to: $0, width: $1) }
      }
    }
  }
#endif
