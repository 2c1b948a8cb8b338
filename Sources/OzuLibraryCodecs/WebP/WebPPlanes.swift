#if WebP
  import CCodecs
  import OzuCodecs
  import OzuImaging

  /// The planes of a lossy WebP picture, out of libwebp as they are stored and averaged row by row.
  enum WebPPlanes {
    /// What a header says of the planes: nothing for what is lossless, has alpha or does not fill its canvas.
    static func layout(_ header: WebPHeader) -> PlaneLayout? {
      guard let frame = header.frames.first, !frame.isLossless, !frame.hasAlpha, !header.hasAlpha,
        frame.size == header.canvas
      else { return nil }
      return PlaneLayout(
        chromaStep: .init(horizontal: 2, vertical: 2), source: .wholePlanes(bytesPerPixel: 2))
    }

    /// Decodes a frame; `nil` when data are missing.
    ///
    /// The filter over the borders of blocks is left out where at least two samples a side become one: there the
    /// mean does its work.
    static func decode(
      _ coded: UnsafeRawBufferPointer, size: PixelSize, averaging: PlaneAveraging, context: DecodingContext
    ) throws(DecodingError) -> PlanarPicture? {
      let chromaSize = PixelSize((size.width + 1) / 2, (size.height + 1) / 2)
      let memory = context.pool.takeBlock(byteCount: size.pixelCount + 2 * chromaSize.pixelCount)
      defer { context.pool.giveBack(memory) }
      let luma = memory.bindMemory(to: UInt8.self).baseAddress!
      let blue = luma + size.pixelCount
      let red = blue + chromaSize.pixelCount
      let isCoarse = min(averaging.luma.columns, averaging.luma.rows) >= 2
      func rows(_ start: UnsafeMutablePointer<UInt8>, _ size: PixelSize) -> OzuPlaneRows {
        let bytes = UnsafeMutableRawBufferPointer(start: start, count: size.pixelCount)
        return OzuPlaneRows(bytes, bytesPerRow: size.width, height: size.height)
      }
      guard
        let decoder = ozu_webp_plane_decoder_new(
          rows(luma, size), rows(blue, chromaSize), rows(red, chromaSize), UInt32(size.width),
          UInt32(size.height), isCoarse)
      else { throw .corrupt(.webp, stage: WebPHeader.stage, reason: "out of memory") }
      defer { ozu_webp_decoder_free(decoder) }
      guard try WebPSession.feed(coded, to: decoder, context) else { return nil }
      context.begin(.resize)
      let chromaExtent = (width: Double(size.width) / 2, height: Double(size.height) / 2)
      func plane(_ rows: UnsafePointer<UInt8>, _ size: PixelSize, isChroma: Bool) -> SamplePlane {
        let averager = RowAverager(
          size: size, channels: 1, step: isChroma ? averaging.chroma : averaging.luma,
          extentWidth: isChroma ? chromaExtent.width : nil,
          extentHeight: isChroma ? chromaExtent.height : nil,
          upsampled: isChroma ? .init(horizontal: 2, vertical: 2) : nil, pool: context.pool)
        for y in 0..<size.height {
          averager.add(bytes: UnsafeBufferPointer(start: rows + y * size.width, count: size.width).span)
        }
        return averager.planes[0]
      }
      return PlanarPicture(
        luma: plane(luma, size, isChroma: false),
        chroma: (plane(blue, chromaSize, isChroma: true), plane(red, chromaSize, isChroma: true)),
        encoding: .webp)
    }
  }
#endif
