import OzuBase

extension BGRABitmap {
  /// The same pixels over a shadow that they throw, which is cut off at the edges.
  ///
  /// - Parameter offset: how far the shadow is moved, in pixels.
  /// - Throws: `ProcessingError` for a blur that is not possible.
  /// - Complexity: O(pixels), independent of the blur. It takes three more bitmaps of this size.
  package func over(
    _ shadow: Label.Shadow, offset: (x: Int, y: Int), pool: PixelBufferPool
  ) throws(ProcessingError) -> BGRABitmap {
    let color = shadow.color.pixel
    let cast = withPixels { pixels, rows in
      BGRABitmap(size: size, isOpaque: false, colorSpace: colorSpace, pool: pool) { y, target in
        let above = y.saturatingDifference(offset.y)
        guard 0..<rows.height ~= above else { return }
        let source = pixels.extracting(rows[above])
        for x in target.indices {
          let before = x.saturatingDifference(offset.x)
          if source.indices ~= before { target[x] = color.covered(by: source[before].alpha) }
        }
      }
    }
    let blurred = try GaussianBlur(radius: shadow.blur).process(cast, context: ProcessingContext(pool: pool))
    return blurred.drawing(PictureLayer(self, x: 0, y: 0, pool: pool), pool: pool)
  }
}
