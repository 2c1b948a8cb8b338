#if WebP
  import CCodecs
  import OzuCodecs
  import OzuImaging

  /// The planes of a lossy WebP picture as libwebp stores them, averaged while they are decoded.
  ///
  /// libwebp writes the rows of each step to the same memory, where the averager reads them. Scaling by libwebp itself
  /// takes longer than both: it adds samples one by one.
  enum WebPPlanes {
    /// The layout of the planes; `nil` for pictures that are lossless, have alpha or do not fill their canvas.
    static func layout(_ header: WebPHeader) -> PlaneLayout? {
      guard let frame = header.frames.first, !frame.isLossless, !frame.hasAlpha, !header.hasAlpha,
        frame.size == header.canvas
      else { return nil }
      return PlaneLayout(
        chromaStep: .init(horizontal: 2, vertical: 2), source: .wholePlanes(bytesPerPixel: 2))
    }

    /// libwebp receives the bytes in at most this number of steps. Short steps keep the rows of a step in the
    /// processor's cache.
    private static let stepCount = 1024
    private static let shortestStep = 512

    /// Decodes a frame; `nil` if data are missing.
    ///
    /// The filter at block borders is skipped if at least two samples on each side become one: averaging has the
    /// same effect.
    ///
    /// - Parameter stepByteCount: how many bytes libwebp receives at a time; by default it depends on their number.
    static func decode(
      _ coded: UnsafeRawBufferPointer, size: PixelSize, averaging: PlaneAveraging, context: DecodingContext,
      stepByteCount: Int? = nil
    ) throws(ImageDecodingError) -> PlanarPicture? {
      let chromaSize = PixelSize((size.width + 1) / 2, (size.height + 1) / 2)
      let luma = RowAverager(size: size, channels: 1, step: averaging.luma, pool: context.pool)
      func chroma() -> RowAverager {
        RowAverager(
          size: chromaSize, channels: 1, step: averaging.chroma, extentWidth: Double(size.width) / 2,
          extentHeight: Double(size.height) / 2, upsampled: .init(horizontal: 2, vertical: 2),
          pool: context.pool)
      }
      let (blue, red) = (chroma(), chroma())
      // For all rows, in case that one step decodes them all. Most pages of it are never touched.
      let memory = context.pool.takeBlock(
        byteCount: ozu_webp_planes_size(UInt32(size.width), UInt32(size.height)))
      defer { context.pool.giveBack(memory) }
      let isCoarse = min(averaging.luma.columns, averaging.luma.rows) >= 2
      guard
        let decoder = ozu_webp_plane_decoder_new(
          memory.bindMemory(to: UInt8.self).baseAddress, memory.count, UInt32(size.width),
          UInt32(size.height), isCoarse)
      else { throw .corrupt(.webp, stage: WebPHeader.stage, reason: "out of memory") }
      defer { ozu_webp_decoder_free(decoder) }
      let step = stepByteCount ?? max(shortestStep, coded.count / stepCount)
      let isComplete = try WebPSession.feed(coded, to: decoder, step: step, context) {
        let rows = ozu_webp_decoder_take_rows(decoder)
        guard rows.luma_count > 0 else { return }
        luma.add(bytes: rows.luma, stride: rows.luma_bytes_per_row, rows: Int(rows.luma_count))
        blue.add(bytes: rows.blue, stride: rows.chroma_bytes_per_row, rows: Int(rows.chroma_count))
        red.add(bytes: rows.red, stride: rows.chroma_bytes_per_row, rows: Int(rows.chroma_count))
      }
      guard isComplete else { return nil }
      context.begin(.resize)
      return PlanarPicture(
        luma: luma.planes[0], chroma: (blue.planes[0], red.planes[0]), encoding: .webp)
    }
  }
#endif
