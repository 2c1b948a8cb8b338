#if WebP
  import CCodecs
  import OzuCodecs
  import OzuImaging

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  extension WebPDecoder: IncrementalDecoding {
    /// The header, when the picture has begun, and with it all that stands before it.
    ///
    /// EXIF data stand behind the pixels. Where they are announced they are waited for: a picture should not turn
    /// round before people's eyes.
    ///
    /// - Throws: `corrupt`.
    public func header(
      ofPrefix data: Data, limits: DecodingLimits
    ) throws(DecodingError) -> ImageHeader? {
      do throws(DecodingError) {
        let details = try WebPHeader(data.span)
        guard !details.frames.isEmpty, !details.lacksEXIF else { return nil }
        return try header(of: data, limits: limits)
      } catch .truncated {
        return nil
      }
    }

    /// Begins a picture that is decoded row by row while its file comes; of an animation, the first frame, as soon
    /// as the second begins.
    ///
    /// - Throws: `limitExceeded`.
    public func incrementalSession(
      of data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
    ) throws(DecodingError) -> (any IncrementalSession)? {
      let details = try WebPHeader(data.span)
      guard let frame = details.frames.first else { return nil }
      if details.isAnimated {
        return WebPFirstFrameSession(decoder: self, header: header, plan: plan)
      }
      try context.limits.checkDecodedByteCount(
        2 * frame.size.byteCount(as: .bgra8) + Self.copyByteCount(frame))
      return try WebPIncrementalSession(frame, header: header, alpha: alpha)
    }
  }

  /// A still WebP that is decoded while it comes.
  ///
  /// `@unchecked Sendable`: one thread at a time calls it.
  private final class WebPIncrementalSession: IncrementalSession, @unchecked Sendable {
    /// So many bytes are given between two questions whether to go on.
    private static let stepByteCount = 16_384

    private let decoder: OpaquePointer
    private let frame: WebPHeader.Frame
    private let header: ImageHeader
    private let alpha: Alpha
    private let pixels: IncrementalPixels
    private var givenByteCount = 0
    private var isWhole = false
    private var shownRows = 0

    init(_ frame: WebPHeader.Frame, header: ImageHeader, alpha: Alpha) throws(DecodingError) {
      let pixels = IncrementalPixels(size: frame.size)
      guard let decoder = ozu_webp_decoder_new(pixels.rows)
      else { throw .corrupt(.webp, stage: WebPHeader.stage, reason: "out of memory") }
      self.decoder = decoder
      self.frame = frame
      self.header = header
      self.alpha = alpha
      self.pixels = pixels
    }

    deinit {
      ozu_webp_decoder_free(decoder)
    }

    func preview(of data: Data, context: DecodingContext) throws(DecodingError) -> Bitmap? {
      try read(data, context)
      let rows = isWhole ? frame.size.height : Int(ozu_webp_decoder_rows(decoder))
      guard rows > shownRows else { return nil }
      shownRows = rows
      let hasAlpha = frame.hasAlpha
      let isLossless = frame.isLossless
      let alpha = alpha
      return pixels.copy(
        rows: rows, isOpaque: !hasAlpha, colorSpace: header.storedColorSpace, pool: context.pool
      ) { row, width in
        if !hasAlpha {
          // Nothing keeps a lossless picture that announces no alpha from having some.
          if isLossless { Premultiplication.makeOpaque(row, width: width) }
        } else if alpha == .premultiplied {
          Premultiplication.apply(to: row, width: width)
        }
      }
    }

    private func read(_ data: Data, _ context: DecodingContext) throws(DecodingError) {
      let byteCount = WebPHeader.byteCount(data.span)
      while !isWhole, givenByteCount < byteCount {
        try context.checkpoint()
        givenByteCount = min(givenByteCount + Self.stepByteCount, byteCount)
        let status = data.withBytes { bytes in
          ozu_webp_decoder_decode(
            decoder, bytes.bindMemory(to: UInt8.self).baseAddress, givenByteCount)
        }
        switch status {
        case .done: isWhole = true
        case .more, .truncated: continue
        case .failed:
          let reason = String(cString: ozu_webp_decoder_message(decoder))
          throw .corrupt(.webp, stage: WebPDecoder.imageStage, reason: reason)
        }
      }
    }
  }

  /// An animated WebP of which the first frame is waited for.
  ///
  /// `@unchecked Sendable`: one thread at a time calls it.
  private final class WebPFirstFrameSession: IncrementalSession, @unchecked Sendable {
    private let decoder: WebPDecoder
    private let header: ImageHeader
    private let plan: DecodePlan
    private var hasShown = false

    init(decoder: WebPDecoder, header: ImageHeader, plan: DecodePlan) {
      self.decoder = decoder
      self.header = header
      self.plan = plan
    }

    func preview(of data: Data, context: DecodingContext) throws(DecodingError) -> Bitmap? {
      guard !hasShown, try WebPHeader(data.span, frameLimit: 2).frames.count > 1 else { return nil }
      let bitmap = try decoder.decode(data, header: header, plan: plan, context: context)
      hasShown = true
      return bitmap
    }
  }
#endif
