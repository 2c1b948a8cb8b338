#if WebP
  import CCodecs
  import OzuCodecs
  import OzuImaging

  import OzuBase

  /// A still WebP that is decoded while it is downloaded.
  ///
  /// `@unchecked Sendable`: `FeedSlot` makes sure that one thread at a time calls it.
  final class WebPFeed: @unchecked Sendable {
    /// The bytes between two checkpoints.
    private static let stepByteCount = 16_384

    private let decoder: OpaquePointer
    private let frame: WebPHeader.Frame
    private let header: ImageHeader
    private let alpha: Alpha
    private let pixels: IncrementalPixels
    private var givenByteCount = 0
    private var isWhole = false
    private var shownRows = 0

    init(_ frame: WebPHeader.Frame, header: ImageHeader, alpha: Alpha) throws(ImageDecodingError) {
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

    /// Decodes the bytes that are there; `nil` if there is nothing new to show.
    func preview(of data: Data, context: DecodingContext) throws(ImageDecodingError) -> Bitmap? {
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
          // A lossless picture that announces no alpha may still have some.
          if isLossless { Premultiplication.makeOpaque(row, width: width) }
        } else if alpha == .premultiplied {
          Premultiplication.apply(to: row, width: width)
        }
      }
    }

    private func read(_ data: Data, _ context: DecodingContext) throws(ImageDecodingError) {
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
#endif
