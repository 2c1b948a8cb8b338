#if WebP
  import CCodecs
  import OzuCodecs
  import OzuImaging

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Decodes WebP through libwebp: lossy, lossless, with alpha; of an animation, the first frame on its canvas.
  public struct WebPDecoder: AnimationDecoding {
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

    /// Steps through the chunks of the file.
    ///
    /// - Throws: `corrupt`, `truncated`.
    /// - Complexity: O(chunks).
    public func header(of data: Data, limits: DecodingLimits) throws(DecodingError) -> ImageHeader {
      let header = try WebPHeader(data.span)
      return ImageHeader(
        type: .webp, storedSize: header.canvas, orientation: header.orientation ?? .up,
        hasAlpha: header.hasAlpha, colorProfileName: header.profile?.name, frameCount: header.frameCount,
        planeLayout: WebPPlanes.layout(header), colorEncoding: header.profile.map(ColorEncoding.profile),
        dotsPerInch: header.dotsPerInch, metadata: header.metadata)
    }

    /// Makes the result: from planes where the plan averages them and the file is whole, else from pixels.
    ///
    /// - Throws: `DecodingError`, as `decode` does.
    public func render(
      _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
    ) throws(DecodingError) -> Bitmap {
      if let averaging = plan.averaging,
        let frame = try WebPHeader(data.span).frames.first,
        let planes = try data.withBytes({ (bytes) throws(DecodingError) in
          try WebPPlanes.decode(
            UnsafeRawBufferPointer(rebasing: bytes[frame.range]), size: frame.size, averaging: averaging,
            context: context)
        })
      {
        return try plan.rendered(planes, header: header, context: context)
      }
      return try renderFromPixels(data, header: header, plan: plan, context: context)
    }

    /// Decodes the picture.
    ///
    /// libwebp keeps a second copy of a lossless picture while it decodes: it counts towards
    /// `decodedByteCount`.
    ///
    /// - Throws: `DecodingError`; `truncated` when the file ends before the pixels do, unless the context
    ///   allows it: then the rest is transparent, or grey in a picture without alpha.
    public func decode(
      _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
    ) throws(DecodingError) -> Bitmap {
      let details = try WebPHeader(data.span)
      guard let frame = details.frames.first else { throw .truncated(.webp, stage: Self.imageStage) }
      let byteCount = details.canvas.byteCount(as: .bgra8)
      try context.limits.checkDecodedByteCount(byteCount + Self.copyByteCount(frame))
      let coversCanvas = frame.size == details.canvas
      let isOpaque = coversCanvas && !details.hasAlpha
      return try data.withBytes { (bytes) throws(DecodingError) in
        try Bitmap(
          size: details.canvas, isOpaque: isOpaque, colorSpace: header.storedColorSpace, pool: context.pool
        ) { (pixels, bytesPerRow) throws(DecodingError) in
          if !coversCanvas { pixels.fillMissing(isOpaque: false) }
          let rows = UnsafeMutableRawBufferPointer(
            rebasing: pixels[(frame.y * bytesPerRow + frame.x * 4)...])
          let coded = UnsafeRawBufferPointer(rebasing: bytes[frame.range])
          let session = try WebPSession(coded, rows: rows, bytesPerRow: bytesPerRow, size: frame.size)
          try Self.read(session, frame, isOpaque: isOpaque, alpha, context)
        }
      }
    }

    /// The frames of an animation.
    ///
    /// - Throws: `DecodingError`.
    public func frames(
      of data: Data, header: ImageHeader, limits: DecodingLimits
    ) throws(DecodingError) -> (any AnimationFrameReading)? {
      let details = try WebPHeader(data.span, frameLimit: limits.frameCount)
      guard details.isAnimated, details.frames.count > 1 else { return nil }
      return WebPFrames(data, details, alpha: alpha, colorSpace: header.storedColorSpace)
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
