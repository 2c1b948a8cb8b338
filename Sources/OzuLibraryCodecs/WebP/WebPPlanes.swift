#if WebP
  import CCodecs
  import OzuCodecs
  import OzuImaging

  /// The planes of a lossy WebP picture as libwebp stores them, averaged row by row. For a large picture, libwebp
  /// computes a part of the means itself.
  enum WebPPlanes {
    /// The layout of the planes; `nil` for pictures that are lossless, have alpha or do not fill their canvas.
    static func layout(_ header: WebPHeader) -> PlaneLayout? {
      guard let frame = header.frames.first, !frame.isLossless, !frame.hasAlpha, !header.hasAlpha,
        frame.size == header.canvas
      else { return nil }
      return PlaneLayout(
        chromaStep: .init(horizontal: 2, vertical: 2), source: .wholePlanes(bytesPerPixel: 2))
    }

    /// The largest size of whole planes, if libwebp can average them instead. Larger planes do not fit into a pool,
    /// so their pages would be new each time, which takes longer than libwebp's averaging.
    static let largestWholePlanes = 32 << 20

    /// How many samples libwebp averages into one, on each side: the number in the plan for chroma.
    ///
    /// It uses the same number for luma, which has twice as many samples; the averager does the rest for luma.
    private static func scaling(
      _ size: PixelSize, _ averaging: PlaneAveraging, _ largest: Int
    ) -> RowAverager.Step {
      let step = averaging.chroma
      let isLarge = size.pixelCount + size.pixelCount / 2 > largest
      return isLarge && step.columns >= 2 && step.rows >= 2 ? step : RowAverager.Step(columns: 1, rows: 1)
    }

    /// Decodes a frame; `nil` if data are missing.
    ///
    /// The filter at block borders is skipped if at least two samples on each side become one: averaging has the
    /// same effect.
    static func decode(
      _ coded: UnsafeRawBufferPointer, size: PixelSize, averaging: PlaneAveraging, context: DecodingContext,
      largestWholePlanes: Int = largestWholePlanes
    ) throws(DecodingError) -> PlanarPicture? {
      let scaling = scaling(size, averaging, largestWholePlanes)
      let lumaSize = PixelSize(
        (size.width + scaling.columns - 1) / scaling.columns, (size.height + scaling.rows - 1) / scaling.rows)
      let chromaSize = PixelSize((lumaSize.width + 1) / 2, (lumaSize.height + 1) / 2)
      let memory = context.pool.takeBlock(byteCount: lumaSize.pixelCount + 2 * chromaSize.pixelCount)
      defer { context.pool.giveBack(memory) }
      let luma = memory.bindMemory(to: UInt8.self).baseAddress!
      let blue = luma + lumaSize.pixelCount
      let red = blue + chromaSize.pixelCount
      let isCoarse = min(averaging.luma.columns, averaging.luma.rows) >= 2
      func rows(_ start: UnsafeMutablePointer<UInt8>, _ size: PixelSize) -> OzuPlaneRows {
        let bytes = UnsafeMutableRawBufferPointer(start: start, count: size.pixelCount)
        return OzuPlaneRows(bytes, bytesPerRow: size.width, height: size.height)
      }
      guard
        let decoder = ozu_webp_plane_decoder_new(
          rows(luma, lumaSize), rows(blue, chromaSize), rows(red, chromaSize), UInt32(size.width),
          UInt32(size.height), UInt32(lumaSize.width), UInt32(lumaSize.height), isCoarse)
      else { throw .corrupt(.webp, stage: WebPHeader.stage, reason: "out of memory") }
      defer { ozu_webp_decoder_free(decoder) }
      guard try WebPSession.feed(coded, to: decoder, context) else { return nil }
      context.begin(.resize)
      /// The width or height of the picture in samples of chroma: libwebp scales all samples to the size that it
      /// writes, and the last sample of an odd side covers only one pixel.
      func extent(_ side: Int, _ written: Int) -> Double {
        Double(side) / 2 / Double((side + 1) / 2) * Double(written)
      }
      let chromaExtent = (
        width: extent(size.width, chromaSize.width), height: extent(size.height, chromaSize.height)
      )
      func plane(_ rows: UnsafePointer<UInt8>, _ size: PixelSize, isChroma: Bool) -> SamplePlane {
        let step = isChroma ? averaging.chroma : averaging.luma
        let averager = RowAverager(
          size: size, channels: 1,
          step: RowAverager.Step(columns: step.columns / scaling.columns, rows: step.rows / scaling.rows),
          extentWidth: isChroma ? chromaExtent.width : nil,
          extentHeight: isChroma ? chromaExtent.height : nil, averaged: scaling,
          upsampled: isChroma ? .init(horizontal: 2, vertical: 2) : nil, pool: context.pool)
        for y in 0..<size.height {
          averager.add(bytes: UnsafeBufferPointer(start: rows + y * size.width, count: size.width).span)
        }
        return averager.planes[0]
      }
      return PlanarPicture(
        luma: plane(luma, lumaSize, isChroma: false),
        chroma: (plane(blue, chromaSize, isChroma: true), plane(red, chromaSize, isChroma: true)),
        encoding: .webp)
    }
  }
#endif
