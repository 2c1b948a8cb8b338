/// A bitmap in `bgra8`, whatever it came in: the one form in which processors see pixels.
///
/// Rows of `Pixel` can be had from this type alone, and making one converts. The closures over rows here and in
/// `Bitmap(writingRows:)` are the only place where processors meet raw memory. Both hand out rows of exactly
/// `size.width` pixels, cut from a buffer of `bytesPerRow × size.height` bytes; a pixel of `bgra8` has four bytes, so
/// `bytesPerRow` is at least four times the width and no row reaches outside. `Pixel` has four bytes, no padding and an
/// alignment of one, so a row of it may be laid over the bytes.
struct BGRABitmap {
  /// The bitmap, in `bgra8`.
  let bitmap: Bitmap

  /// Converts a bitmap, unless it has the format.
  ///
  /// - Complexity: O(1) for `bgra8`, else O(pixels).
  init(_ bitmap: Bitmap, pool: PixelBufferPool) {
    self.bitmap = bitmap.converted(to: .bgra8, pool: pool)
  }

  var size: PixelSize { bitmap.size }
  var isOpaque: Bool { bitmap.isOpaque }
  var colorSpace: ColorSpaceTag { bitmap.colorSpace }
}

extension Bitmap {
  /// Makes a bitmap row by row.
  ///
  /// - Parameter write: gets each row from top to bottom and must write every pixel of it.
  init(
    size: PixelSize, isOpaque: Bool, colorSpace: ColorSpaceTag, pool: PixelBufferPool,
    writingRows write: (_ y: Int, _ row: UnsafeMutableBufferPointer<Pixel>) -> Void
  ) {
    self.init(size: size, isOpaque: isOpaque, colorSpace: colorSpace, pool: pool) { bytes, bytesPerRow in
      for y in 0..<size.height {
        let row = UnsafeMutableRawBufferPointer(
          rebasing: bytes[y * bytesPerRow..<y * bytesPerRow + size.width * 4])
        write(y, row.bindMemory(to: Pixel.self))
      }
    }
  }
}

extension BGRABitmap {
  /// Calls a closure with a function that gives any row; rows are valid during the call only.
  func withRows<Result>(_ body: (_ row: (Int) -> UnsafeBufferPointer<Pixel>) -> Result) -> Result {
    let (size, bytesPerRow) = (bitmap.size, bitmap.bytesPerRow)
    return bitmap.withUnsafeBytes { bytes in
      body { y in
        precondition(y >= 0 && y < size.height, "a row outside the bitmap")
        let row = UnsafeRawBufferPointer(rebasing: bytes[y * bytesPerRow..<y * bytesPerRow + size.width * 4])
        return row.bindMemory(to: Pixel.self)
      }
    }
  }

  /// The bitmap with each pixel replaced by a function of itself and its place.
  @inline(__always)
  func mapped(
    isOpaque: Bool, pool: PixelBufferPool, _ transform: (_ pixel: Pixel, _ x: Int, _ y: Int) -> Pixel
  ) -> Bitmap {
    withRows { row in
      Bitmap(size: size, isOpaque: isOpaque, colorSpace: colorSpace, pool: pool) { y, target in
        let source = row(y)
        for x in 0..<source.count { target[x] = transform(source[x], x, y) }
      }
    }
  }

  /// The part of the bitmap inside a rectangle that lies within it.
  func cropped(to rectangle: PixelRectangle, pool: PixelBufferPool) -> Bitmap {
    guard rectangle != PixelRectangle(size) else { return bitmap }
    return withRows { row in
      Bitmap(
        size: rectangle.size, isOpaque: isOpaque, colorSpace: colorSpace, pool: pool
      ) { y, target in
        _ = target.update(
          fromContentsOf: row(rectangle.y + y)[rectangle.x..<rectangle.x + rectangle.size.width])
      }
    }
  }
}

extension SIMD8<UInt8> {
  /// Two pixels side by side. Both types are nothing but their bytes, in the same order.
  @inline(__always)
  init(_ first: Pixel, _ second: Pixel) {
    self.init(
      lowHalf: unsafeBitCast(first, to: SIMD4<UInt8>.self),
      highHalf: unsafeBitCast(second, to: SIMD4<UInt8>.self))
  }

  /// The two pixels.
  @inline(__always)
  var pixels: (Pixel, Pixel) {
    (unsafeBitCast(lowHalf, to: Pixel.self), unsafeBitCast(highHalf, to: Pixel.self))
  }
}
