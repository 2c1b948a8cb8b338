#if WebP
  import CCodecs
  import OzuBase
  import OzuCodecs
  import OzuImaging

  /// Decodes WebP through libwebp: lossy, lossless, with alpha; of an animation, the first frame on its canvas.
  public struct WebPDecoder: ImageDecoding {
    static let imageStage = "image data"

    /// Makes a decoder.
    public init() {}

    /// WebP.
    public var types: [ImageType] { [.webp] }

    /// Opens a file: reads the structure of its chunks.
    ///
    /// - Throws: `corrupt`, `truncated`.
    /// - Complexity: O(chunks).
    public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
      WebPFile(data, try WebPHeader(data.span, frameLimit: max(1, limits.frameCount)))
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
        return .opened(WebPFile(data, details))
      }
    }

    /// The size of libwebp's second copy of a lossless picture.
    static func copyByteCount(_ frame: WebPHeader.Frame) -> Int {
      frame.isLossless ? frame.size.byteCount(as: .bgra8) : 0
    }

    static func read(
      _ session: borrowing WebPSession, _ frame: WebPHeader.Frame, isOpaque: Bool, _ context: DecodingContext
    ) throws(ImageDecodingError) {
      let decodedRows = try session.decode(context)
      if decodedRows < frame.size.height {
        try context.acceptTruncation(of: .webp, stage: imageStage)
        session.clearRows(from: decodedRows, isOpaque: isOpaque)
      }
      if isOpaque && frame.isLossless {
        // A lossless picture that announces no alpha may still have some.
        session.forEachRow { Premultiplication.makeOpaque($0, width: $1) }
      } else if !isOpaque, context.alpha == .premultiplied {
        session.forEachRow { Premultiplication.apply(to: $0, width: $1) }
      }
    }
  }

  /// Writes WebP through libwebp, lossy or lossless. `QualityScale` has libwebp's quality. EXIF data, XMP and a profile
  /// are added to the library's file; the resolution is part of the EXIF data.
  public struct WebPEncoder: ImageEncoding {
    private let library = LibraryEncoder(type: .webp, sideLimit: 16_383) {
      ozu_webp_encode($0, $1, $2, $3)
    }

    /// Makes an encoder.
    public init() {}

    /// WebP.
    public var type: ImageType { .webp }

    /// Always true.
    public var keepsAlpha: Bool { true }

    /// All kinds; the resolution as EXIF data.
    public var keptMetadata: MetadataKinds { .all }

    /// Encodes a bitmap.
    ///
    /// - Throws: `tooLarge` above 16,383 pixels a side; `failed` with the library's message.
    public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
      let data = try library.encode(bitmap, options: options)
      return WebPContainer.insert(options.metadata, into: data, size: bitmap.size)
    }
  }

  extension WebPEncoder: AnimationEncoding {
    /// Begins an animated WebP, lossy or lossless. At least every 5th frame (lossless: every 17th) does not depend
    /// on others.
    ///
    /// - Throws: `tooLarge` above 16,383 pixels a side; `failed` if memory is short.
    public func makeWriter(
      canvas: PixelSize, loopCount: Int, options: EncodingOptions
    ) throws(ImageEncodingError) -> any AnimationWriting {
      try WebPAnimationWriter(canvas: canvas, loopCount: loopCount, options: options)
    }
  }

  /// Writes an animated WebP through libwebpmux. Delays are in milliseconds, at most 16,777,215.
  final class WebPAnimationWriter: AnimationWriting {
    private static let sideLimit = 16_383

    private var admission: FrameAdmission
    private var clock = FrameClock(unit: .milliseconds(1), playableCount: 11, limit: (1 << 24) - 1)
    /// The time at which the next frame begins, in milliseconds.
    private var time: Int32 = 0
    private let animation: OpaquePointer
    private let (canvas, metadata): (PixelSize, EncodedMetadata)
    /// A canvas without padding, colours divided by alpha.
    private let straight: UnsafeMutableRawBufferPointer
    private(set) var byteCount = 0

    init(canvas: PixelSize, loopCount: Int, options: EncodingOptions) throws(ImageEncodingError) {
      admission = try FrameAdmission(.webp, canvas: canvas, sideLimit: Self.sideLimit)
      try options.metadata.checkProfile(for: .webp)
      (self.canvas, metadata) = (canvas, options.metadata)
      var request = OzuWebPAnimationRequest(
        width: UInt32(canvas.width), height: UInt32(canvas.height),
        loop_count: UInt16(clamping: loopCount),
        quality: QualityScale.parameter(of: .webp, at: options.quality(for: .webp)),
        is_lossless: options.isLossless,
        effort: options.effort.value)
      guard let animation = ozu_webp_animation_new(&request) else {
        throw .failed(.webp, reason: "out of memory")
      }
      self.animation = animation
      straight = .allocate(byteCount: canvas.width * 4 * canvas.height, alignment: 16)
    }

    deinit {
      ozu_webp_animation_free(animation)
      straight.deallocate()
    }

    func append(_ frame: Bitmap, duration: Duration) throws(ImageEncodingError) {
      try admission.admit(frame)
      let frame = frame.converted(to: .bgra8)
      let (width, height) = (frame.size.width, frame.size.height)
      frame.withUnsafeBytes { pixels in
        // `admit` has compared the sizes: every row lies inside both blocks.
        guard let from = pixels.baseAddress, let to = straight.baseAddress else { return }
        for y in 0..<height {
          Premultiplication.undo(from + y * frame.bytesPerRow, to: to + y * width * 4, width: width)
        }
      }
      let status = ozu_webp_animation_add(
        animation, straight.bindMemory(to: UInt8.self).baseAddress, width * 4, UInt32(width),
        UInt32(height), !frame.isOpaque, time)
      guard status == .done else { throw failure }
      let (end, isOverflow) = time.addingReportingOverflow(Int32(clock.count(of: duration)))
      guard !isOverflow else { throw .failed(.webp, reason: "the animation is longer than 24 days") }
      time = end
    }

    func finish() throws(ImageEncodingError) -> Data {
      try admission.finish()
      var file = OzuBytes()
      guard ozu_webp_animation_finish(animation, time, &file) == .done, let data = file.data() else {
        throw failure
      }
      let whole = WebPContainer.insert(metadata, into: data, size: canvas)
      byteCount = whole.count
      return whole
    }

    private var failure: ImageEncodingError {
      .failed(.webp, reason: String(cString: ozu_webp_animation_message(animation)))
    }
  }
#endif
