#if WebP
  import OzuCodecs
  import OzuImaging

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The frames of an animated WebP.
  struct WebPFrames: AnimationFrameReading {
    let data: Data
    let canvas: PixelSize
    let pictures: [WebPHeader.Frame]
    let frames: [AnimationFrame]
    let loopCount: Int
    let alpha: Alpha
    let colorSpace: ColorSpaceTag

    init(_ data: Data, _ header: WebPHeader, alpha: Alpha, colorSpace: ColorSpaceTag) {
      self.data = data
      self.alpha = alpha
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
          try WebPDecoder.read(session, picture, isOpaque: isOpaque, alpha, context)
        }
      }
    }
  }
#endif
