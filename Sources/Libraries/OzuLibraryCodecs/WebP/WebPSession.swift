#if WebP
  import CCodecs
  import OzuCodecs
  import OzuImaging

  /// One decode of a picture by libwebp into the rows of a bitmap; ends with the value.
  ///
  /// File and rows must outlive it: it is made and used inside the closures that provide them.
  struct WebPSession: ~Copyable {
    /// The library receives the bytes in about this number of steps, with a checkpoint between them.
    private static let stepCount = 64
    private static let shortestStep = 4096

    private let decoder: OpaquePointer
    private let coded: UnsafeRawBufferPointer
    private let rows: UnsafeMutableRawBufferPointer
    private let bytesPerRow: Int
    private let size: PixelSize

    /// - Precondition: `rows` holds `size.height` rows that are `bytesPerRow` apart; padding after the last pixel
    ///   may be missing.
    init(
      _ coded: UnsafeRawBufferPointer, rows: UnsafeMutableRawBufferPointer, bytesPerRow: Int, size: PixelSize
    ) throws(ImageDecodingError) {
      guard let decoder = ozu_webp_decoder_new(OzuRows(rows, bytesPerRow: bytesPerRow, size: size))
      else { throw .corrupt(.webp, stage: WebPHeader.stage, reason: "out of memory") }
      self.decoder = decoder
      self.coded = coded
      self.rows = rows
      self.bytesPerRow = bytesPerRow
      self.size = size
    }

    deinit {
      ozu_webp_decoder_free(decoder)
    }

    /// Decodes all bytes, and returns the number of complete rows.
    func decode(_ context: DecodingContext) throws(ImageDecodingError) -> Int {
      let step = max(Self.shortestStep, coded.count / Self.stepCount)
      return try Self.feed(coded, to: decoder, step: step, context)
        ? size.height : Int(ozu_webp_decoder_rows(decoder))
    }

    /// Passes the bytes to a decoder in steps of `step` bytes, with a checkpoint before each and `afterStep` after it;
    /// returns whether the picture is complete.
    static func feed(
      _ coded: UnsafeRawBufferPointer, to decoder: OpaquePointer, step: Int, _ context: DecodingContext,
      afterStep: () -> Void = {}
    ) throws(ImageDecodingError) -> Bool {
      var available = 0
      while available < coded.count {
        try context.checkpoint()
        available += min(step, coded.count - available)
        let start = coded.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let status = ozu_webp_decoder_decode(decoder, start, available)
        if status != .failed { afterStep() }
        switch status {
        case .done: return true
        case .more, .truncated: continue
        case .failed:
          let reason = String(cString: ozu_webp_decoder_message(decoder))
          throw .corrupt(.webp, stage: "image data", reason: reason)
        }
      }
      return false
    }

    func clearRows(from first: Int, isOpaque: Bool) {
      for y in first..<size.height { row(y).fillMissing(isOpaque: isOpaque) }
    }

    /// Calls a closure with the first pixel of each row and their number.
    func forEachRow(_ body: (UnsafeMutableRawPointer, Int) -> Void) {
      for y in 0..<size.height {
        guard let start = row(y).baseAddress else { return }
        body(start, size.width)
      }
    }

    private func row(_ y: Int) -> UnsafeMutableRawBufferPointer {
      UnsafeMutableRawBufferPointer(rebasing: rows[y * bytesPerRow..<y * bytesPerRow + size.width * 4])
    }
  }
#endif
