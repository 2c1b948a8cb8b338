#if JXL
  import CCodecs
  import OzuBase
  import OzuCodecs
  import OzuImaging

  /// Decodes JPEG XL through libjxl: lossy, lossless, with alpha, turned, animated.
  public struct JXLDecoder: LibraryDecoding {
    let library: LibraryDecoder

    /// Makes a decoder.
    public init() {
      var library = LibraryDecoder(type: .jxl) { ozu_jxl_decoder_new($0, $1, $2) }
      library.feed = { (header, isPremultiplied, context) throws(ImageDecodingError) in
        try JXLFeed(header: header, isPremultiplied: isPremultiplied, context: context)
      }
      self.library = library
    }

    /// Opens a file by its first bytes, with the library, which knows how many it needs.
    ///
    /// - Throws: `corrupt`.
    public func open(beginning data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> PartialFile {
      try PartialFile { () throws(ImageDecodingError) in .opened(try open(data, limits: limits)) }
    }
  }

  extension JXLDecoder: JPEGStoring {
    /// Lets libjxl store a JPEG, which takes about four fifths of its bytes then, or give it back.
    ///
    /// - Complexity: O(pixels) in time, and in memory 24 bytes for each pixel.
    package func transcoded(
      _ data: Data, _ way: JPEGTranscoding, limits: DecodingLimits
    ) throws(ImageDecodingError) -> Data {
      // The library checks no limits, so the header is read before it gets the file.
      let header: ImageHeader
      switch way {
      case .store:
        let outline = try JPEGOutline(data, limits: limits)
        header = outline.header
        // It refuses these itself, with a line on standard error.
        guard !outline.details.isArithmeticCoded, outline.details.unsupportedReason == nil,
          header.colorModel != .cmyk
        else { throw .unsupportedType(.jxl, reason: "libjxl does not store this JPEG") }
      case .restore: header = try open(data, limits: limits).header
      }
      try limits.check(header)
      try limits.checkDecodedByteCount(
        header.storedSize.pixelCount.saturatingProduct(24).saturatingSum(32 << 20))
      var file = OzuBytes()
      var message = [CChar](repeating: 0, count: 256)
      let status = data.withBytes { bytes in
        // The memory is that of the file, and C keeps no pointer to it.
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        return switch way {
        case .store: ozu_jxl_from_jpeg(start, bytes.count, &file, &message, message.count)
        case .restore:
          ozu_jxl_to_jpeg(
            start, bytes.count, JPEGTranscoding.restoredByteLimit(bytes.count), &file, &message, message.count
          )
        }
      }
      guard status == .done, let transcoded = file.data() else {
        throw .unsupportedType(.jxl, reason: message.text)
      }
      return transcoded
    }
  }

  /// A JPEG XL that gets finer while it is downloaded: lossy pictures first show the means of blocks, and more
  /// after each pass or as groups of pixels arrive; of an animation, the first frame is shown.
  ///
  /// `@unchecked Sendable`: `FeedSlot` makes sure that one thread at a time calls it.
  final class JXLFeed: PictureFeed, @unchecked Sendable {
    private static let stepByteCount = 65_536
    private static let imageStage = "image data"

    private let feed: OpaquePointer
    private let header: ImageHeader
    private let isPremultiplied: Bool
    private let pixels: IncrementalPixels
    private var givenByteCount = 0
    private var flushedByteCount = 0
    private var isWhole = false
    private var hasShownAll = false

    /// - Parameter isPremultiplied: whether the library returns premultiplied colours.
    /// - Throws: `limitExceeded`.
    init(header: ImageHeader, isPremultiplied: Bool, context: DecodingContext) throws(ImageDecodingError) {
      // The library works in floating point, beside the pixels that are kept and the copy that is shown.
      let (sum, overflow) = header.storedSize.pixelCount.multipliedReportingOverflow(by: 12 + 8)
      try context.limits.checkDecodedByteCount(overflow ? .max : sum)
      let pixels = IncrementalPixels(size: header.storedSize)
      guard let feed = ozu_jxl_feed_new(pixels.rows)
      else { throw .corrupt(.jxl, stage: "header", reason: "out of memory") }
      self.feed = feed
      self.header = header
      self.pixels = pixels
      self.isPremultiplied = isPremultiplied
    }

    deinit {
      ozu_jxl_feed_free(feed)
    }

    func preview(of data: Data, context: DecodingContext) throws(ImageDecodingError) -> Bitmap? {
      // Without black ink, CMYK would be much too light.
      guard header.colorModel != .cmyk else { return nil }
      try read(data, context)
      guard !hasShownAll else { return nil }
      if !isWhole {
        guard givenByteCount > flushedByteCount else { return nil }
        flushedByteCount = givenByteCount
        guard ozu_jxl_feed_flush(feed) == .done else { return nil }
      }
      hasShownAll = isWhole
      let hasAlpha = header.hasAlpha
      let isPremultiplied = isPremultiplied
      return pixels.copy(
        rows: pixels.size.height, isOpaque: !hasAlpha, colorSpace: header.storedColorSpace,
        pool: context.pool
      ) { row, width in
        let bytes = row.assumingMemoryBound(to: UInt8.self)
        ozu_swap_red_and_blue(bytes, bytes, width)
        if !hasAlpha {
          Premultiplication.makeOpaque(row, width: width)
        } else if isPremultiplied {
          Premultiplication.clamp(row, width: width)
        } else {
          Premultiplication.apply(to: row, width: width)
        }
      }
    }

    private func read(_ data: Data, _ context: DecodingContext) throws(ImageDecodingError) {
      while !isWhole {
        try context.checkpoint()
        let byteCount = min(givenByteCount + Self.stepByteCount, data.count)
        let status = data.withBytes { bytes in
          ozu_jxl_feed_read(feed, bytes.bindMemory(to: UInt8.self).baseAddress, byteCount)
        }
        givenByteCount = byteCount
        switch status {
        case .done: isWhole = true
        case .more: continue
        case .truncated where byteCount < data.count: continue
        case .truncated: return
        case .failed:
          throw .corrupt(.jxl, stage: Self.imageStage, reason: "the coded data break the rules")
        }
      }
    }
  }

  /// Writes JPEG XL through libjxl, lossy or lossless, with effort 5 of 9, or 3 for low effort and 8 for high
  /// effort (7 with libjxl 0.7). `QualityScale` has the quality of libjxl's own tools.
  public struct JXLEncoder: ImageEncoding {
    private let library = LibraryEncoder(type: .jxl, sideLimit: 65_535, acceptsDeep: true) {
      ozu_jxl_encode($0, $1, $2, $3)
    }

    /// Makes an encoder.
    public init() {}

    /// JPEG XL.
    public var type: ImageType { .jxl }

    /// Always true.
    public var keepsAlpha: Bool { true }

    /// All kinds; the resolution as EXIF data.
    public var keptMetadata: MetadataKinds { .all }

    /// Always true.
    public var writesColorCodes: Bool { true }

    /// Encodes a bitmap.
    ///
    /// - Throws: `tooLarge` above 65,535 pixels a side; `failed` with the library's message.
    public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
      try library.encode(bitmap, options: options)
    }
  }
#endif
