// Building blocks of the processors and the frame composer. Bounds are checked for each row, not for each pixel.

extension BGRABitmap {
  /// Makes a bitmap row by row.
  ///
  /// - Parameter write: receives each row from top to bottom and must write every pixel of it.
  static func making<Failure: Error>(
    size: PixelSize, isOpaque: Bool, colorSpace: ColorSpaceTag, pool: PixelBufferPool,
    _ write: (_ y: Int, _ row: UnsafeMutableBufferPointer<Pixel>) throws(Failure) -> Void
  ) throws(Failure) -> BGRABitmap {
    let bitmap = try Bitmap(
      size: size, isOpaque: isOpaque, colorSpace: colorSpace, pool: pool
    ) { (bytes, bytesPerRow) throws(Failure) in
      for y in 0..<size.height {
        let row = UnsafeMutableRawBufferPointer(
          rebasing: bytes[y * bytesPerRow..<y * bytesPerRow + size.width * 4])
        try write(y, row.bindMemory(to: Pixel.self))
      }
    }
    return BGRABitmap(bitmap, pool: pool)
  }

  /// The bitmap with each pixel replaced by a function of its value and its position.
  @inline(__always)
  func mapped(
    isOpaque: Bool, pool: PixelBufferPool, _ transform: (_ pixel: Pixel, _ x: Int, _ y: Int) -> Pixel
  ) -> BGRABitmap {
    withPixels { pixels, rows in
      BGRABitmap.making(size: size, isOpaque: isOpaque, colorSpace: colorSpace, pool: pool) { y, target in
        let source = pixels.extracting(rows[y])
        // Both rows have `size.width` pixels; this is checked here once for the row.
        precondition(source.count == target.count, "rows of one width")
        for x in 0..<target.count { target[x] = transform(source[unchecked: x], x, y) }
      }
    }
  }

  /// The part of the bitmap inside a rectangle that lies within it.
  func cropped(to rectangle: PixelRectangle, pool: PixelBufferPool) -> BGRABitmap {
    guard rectangle != PixelRectangle(size) else { return self }
    return withPixels { pixels, rows in
      BGRABitmap.making(
        size: rectangle.size, isOpaque: isOpaque, colorSpace: colorSpace, pool: pool
      ) { y, target in
        let source = pixels.extracting(rows[rectangle.y + y])
          .extracting(rectangle.x..<rectangle.x + rectangle.size.width)
        source.withUnsafeBufferPointer { _ = target.update(fromContentsOf: $0) }
      }
    }
  }

  /// A copy of a canvas, or a transparent canvas, with some of its rows changed.
  ///
  /// - Parameter canvas: has the size `size`; `nil` for a transparent one.
  static func editing<Failure: Error>(
    _ canvas: BGRABitmap?, size: PixelSize, rows: Range<Int>, isOpaque: Bool, colorSpace: ColorSpaceTag,
    pool: PixelBufferPool, _ edit: (_ y: Int, _ row: inout MutableSpan<Pixel>) throws(Failure) -> Void
  ) throws(Failure) -> BGRABitmap {
    precondition(canvas == nil || canvas?.size == size, "a canvas of the size")
    precondition(rows.lowerBound >= 0 && rows.upperBound <= size.height, "rows on the canvas")
    let bitmap = try Bitmap(
      size: size, isOpaque: isOpaque, colorSpace: colorSpace, pool: pool
    ) { (bytes, bytesPerRow) throws(Failure) in
      if let canvas {
        // Both have one size and format, so the same number of bytes.
        canvas.bitmap.withUnsafeBytes { bytes.copyMemory(from: $0) }
      } else {
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
      }
      for y in rows {
        let row = UnsafeMutableRawBufferPointer(
          rebasing: bytes[y * bytesPerRow..<y * bytesPerRow + size.width * 4])
        var span = row.bindMemory(to: Pixel.self).mutableSpan
        try edit(y, &span)
      }
    }
    return BGRABitmap(bitmap, pool: pool)
  }
}
