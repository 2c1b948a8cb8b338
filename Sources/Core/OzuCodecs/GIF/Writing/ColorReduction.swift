import OzuImaging

extension Bitmap {
  /// The picture in at most `limit` colours, with alpha; itself if it has no more. Colours are chosen as for a GIF, and
  /// errors are distributed. Pixels that are wholly transparent stay so, and are one of the
  /// colours. 16 bits become 8.
  ///
  /// - Parameter limit: from 2 to 256.
  /// - Complexity: O(pixels).
  package func reduced(toColors limit: Int, effort: EncodingOptions.Effort) -> Bitmap {
    let picture = BGRABitmap(self)
    let hasAlpha = !isOpaque && picture.bitmap.hasTransparentPixel
    if let count = PNGColors(picture.bitmap, hasAlpha: hasAlpha).count, count <= limit {
      return format == .rgba16 ? picture.bitmap : self
    }
    let pixels = GIFPaintedPixels(picture)
    let colors = ColorQuantizer.colors(of: pixels, count: limit - (pixels.hasHoles ? 1 : 0), effort: effort)
    let transparent = UInt8(truncatingIfNeeded: colors.count)
    let indices = ErrorDiffusion.indices(
      of: pixels, palette: colors, transparentIndex: transparent)
    var palette = colors.map { color in
      Pixel(
        red: UInt8(color >> 16 & 255), green: UInt8(color >> 8 & 255), blue: UInt8(color & 255),
        alpha: UInt8(255 - color >> 24))
    }
    if pixels.hasHoles { palette.append(.clear) }
    let width = size.width
    return BGRABitmap(size: size, isOpaque: isOpaque, colorSpace: colorSpace) { y, row in
      for x in 0..<width { row[x] = palette[Int(indices[y * width + x])] }
    }.bitmap
  }
}
