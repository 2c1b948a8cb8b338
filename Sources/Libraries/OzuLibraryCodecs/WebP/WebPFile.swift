#if WebP
  import CCodecs
  import OzuBase
  import OzuCodecs
  import OzuImaging

  /// A WebP whose chunks have been read.
  final class WebPFile: ImageFile {
    private let data: Data
    private let details: WebPHeader
    let header: ImageHeader
    private let slot = FeedSlot()
    private let hasShownFirstFrame = Mutex(false)

    init(_ data: Data, _ details: WebPHeader) {
      self.data = data
      self.details = details
      // The flag for the whole file is a hint (RFC 9649 §2.7).
      let hasAlpha = details.hasAlpha || details.frames.first?.hasAlpha == true
      var header = ImageHeader(
        type: .webp, storedSize: details.canvas, orientation: details.orientation ?? .up,
        hasAlpha: hasAlpha || !details.coversCanvas, frameCount: details.frameCount,
        planeLayout: WebPPlanes.layout(details))
      header.add(details.profile)
      header.add(statedDotsPerInch: details.dotsPerInch)
      header.metadata = details.metadata
      if let cut = details.cutFrame { header.noteCut(wholeFrames: cut, ofAtLeast: cut + 1) }
      self.header = header
    }

    /// The memory for a second copy of a lossless picture, for the alpha plane of a lossy one, and for some rows of
    /// blocks.
    func demand(of plan: DecodePlan, context: DecodingContext) -> DecodingDemand {
      guard let frame = details.frames.first else { return DecodingDemand() }
      let alpha = frame.hasAlpha && !frame.isLossless ? frame.size.pixelCount : 0
      return DecodingDemand(
        byteCount: WebPDecoder.copyByteCount(frame) + alpha + 128 * frame.size.width)
    }

    /// Makes the result: from planes if the plan averages them and the file is complete, else from pixels.
    func render(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
      if let averaging = plan.averaging,
        let frame = details.frames.first,
        let planes = try data.withBytes({ (bytes) throws(ImageDecodingError) in
          try WebPPlanes.decode(
            UnsafeRawBufferPointer(rebasing: bytes[frame.range]), size: frame.size, averaging: averaging,
            context: context)
        })
      {
        return try plan.rendered(planes, header: header, context: context)
      }
      return try renderFromPixels(plan, context: context)
    }

    /// Decodes the picture.
    ///
    /// libwebp keeps a second copy of a lossless picture while it decodes; the copy counts towards
    /// `decodedByteCount`.
    ///
    /// - Throws: `ImageDecodingError`; `truncated` if the file ends before the pixels do, unless the context allows it:
    ///   then the rest is transparent, or grey in a picture without alpha.
    func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
      guard let frame = details.frames.first else {
        guard details.isWhole else { throw .truncated(.webp, stage: WebPDecoder.imageStage) }
        throw .corrupt(.webp, stage: WebPDecoder.imageStage, reason: "it has no picture")
      }
      let byteCount = details.canvas.byteCount(as: .bgra8)
      try context.limits.checkDecodedByteCount(byteCount + WebPDecoder.copyByteCount(frame))
      let isOpaque = !header.hasAlpha
      return try data.withBytes { (bytes) throws(ImageDecodingError) in
        try Bitmap(
          size: details.canvas, isOpaque: isOpaque, colorSpace: header.storedColorSpace, pool: context.pool
        ) { (pixels, bytesPerRow) throws(ImageDecodingError) in
          if !details.coversCanvas { pixels.fillMissing(isOpaque: false) }
          let rows = UnsafeMutableRawBufferPointer(
            rebasing: pixels[(frame.y * bytesPerRow + frame.x * 4)...])
          let coded = UnsafeRawBufferPointer(rebasing: bytes[frame.range])
          let session = try WebPSession(coded, rows: rows, bytesPerRow: bytesPerRow, size: frame.size)
          try WebPDecoder.read(session, frame, isOpaque: isOpaque, context)
        }
      }
    }

    func readMetadata() -> ImageMetadata { WebPContainer.metadata(data.span, header: header) }

    /// The frames of an animation.
    func frames(limits: DecodingLimits) throws(ImageDecodingError) -> (any AnimationFrameReading)? {
      guard details.isAnimated, details.frames.count > 1 else { return nil }
      return WebPFrames(data, details, colorSpace: header.storedColorSpace)
    }

    /// Shows a still picture row by row, or the first frame of an animation as soon as the second begins.
    func feed(
      _ data: Data, plan: DecodePlan, context: DecodingContext
    ) throws(ImageDecodingError) -> Bitmap? {
      guard !details.isAnimated else { return try firstFrame(data, plan: plan, context: context) }
      return try slot.preview(of: data, context: context) { () throws(ImageDecodingError) in
        guard let frame = details.frames.first else {
          throw .truncated(.webp, stage: WebPDecoder.imageStage)
        }
        try context.limits.checkDecodedByteCount(
          2 * frame.size.byteCount(as: .bgra8) + WebPDecoder.copyByteCount(frame))
        return try WebPFeed(frame, header: header)
      }
    }

    private func firstFrame(
      _ data: Data, plan: DecodePlan, context: DecodingContext
    ) throws(ImageDecodingError) -> Bitmap? {
      guard !hasShownFirstFrame.withLock({ $0 }) else { return nil }
      let details = try WebPHeader(data.span, frameLimit: 2)
      guard details.frames.count > 1 else { return nil }
      let bitmap = try WebPFile(data, details).decode(plan, context: context)
      hasShownFirstFrame.withLock { $0 = true }
      return bitmap
    }
  }

  struct WebPFrames: AnimationFrameReading {
    let data: Data
    let canvas: PixelSize
    let pictures: [WebPHeader.Frame]
    let frames: [AnimationFrame]
    let loopCount: Int
    let colorSpace: ColorSpaceTag

    init(_ data: Data, _ header: WebPHeader, colorSpace: ColorSpaceTag) {
      self.data = data
      self.colorSpace = colorSpace
      canvas = header.canvas
      pictures = header.frames
      frames = header.frames.map(\.place)
      loopCount = header.loopCount
    }

    func decodeFrame(at index: Int, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
      let picture = pictures[index]
      let isOpaque = !picture.hasAlpha
      try context.limits.checkDecodedByteCount(
        picture.size.byteCount(as: .bgra8) + WebPDecoder.copyByteCount(picture))
      return try data.withBytes { (bytes) throws(ImageDecodingError) in
        try Bitmap(size: picture.size, isOpaque: isOpaque, colorSpace: colorSpace, pool: context.pool) {
          (pixels, bytesPerRow) throws(ImageDecodingError) in
          let coded = UnsafeRawBufferPointer(rebasing: bytes[picture.range])
          let session = try WebPSession(coded, rows: pixels, bytesPerRow: bytesPerRow, size: picture.size)
          try WebPDecoder.read(session, picture, isOpaque: isOpaque, context)
        }
      }
    }
  }

  /// A still WebP that is decoded while it is downloaded.
  ///
  /// `@unchecked Sendable`: `FeedSlot` makes sure that one thread at a time calls it.
  final class WebPFeed: PictureFeed, @unchecked Sendable {
    /// The bytes between two checkpoints.
    private static let stepByteCount = 16_384

    private let decoder: OpaquePointer
    private let frame: WebPHeader.Frame
    private let header: ImageHeader
    private let pixels: IncrementalPixels
    private var givenByteCount = 0
    private var isWhole = false
    private var shownRows = 0

    init(_ frame: WebPHeader.Frame, header: ImageHeader) throws(ImageDecodingError) {
      let pixels = IncrementalPixels(size: frame.size)
      guard let decoder = ozu_webp_decoder_new(pixels.rows)
      else { throw .corrupt(.webp, stage: WebPHeader.stage, reason: "out of memory") }
      self.decoder = decoder
      self.frame = frame
      self.header = header
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
      return pixels.copy(
        rows: rows, isOpaque: !hasAlpha, colorSpace: header.storedColorSpace, pool: context.pool
      ) { row, width in
        if !hasAlpha {
          // A lossless picture that announces no alpha may still have some.
          if isLossless { Premultiplication.makeOpaque(row, width: width) }
        } else {
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
