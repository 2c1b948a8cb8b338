/// A bitmap in `bgra8`: the form in which processors, animations and toolkits use pixels.
///
/// The format is part of the type, so code that takes this type cannot misread grey or 16-bit pixels. There are two
/// ways to make a value: from a `Bitmap`, which is converted if it has another format, or from rows of `Pixel`.
///
/// Pixels are accessed through spans, which check every access, in release builds too:
///
/// ```swift
/// let edges = BGRABitmap(size: source.size, isOpaque: true) { y, row in
///   source.withPixels { pixels, rows in
///     let (above, here) = (pixels.extracting(rows[max(0, y - 1)]), pixels.extracting(rows[y]))
///     for x in row.indices { row[x] = above[x] == here[x] ? .black : .white }
///   }
/// }
/// ```
///
/// Only this type and the kernels of the blur convert bytes to pixels. Why no access is out of bounds: row `y` of a
/// `Bitmap` in `bgra8` has `size.width` pixels of four bytes at `y * bytesPerRow`, `bytesPerRow` is a multiple of
/// 16 and not less than the row, and there are `size.height` rows. `Pixel` has four bytes, no padding and an
/// alignment of one, so any four bytes can be used as a pixel.
public struct BGRABitmap: Equatable, Sendable {
  /// The same pixels as a `Bitmap`, whose format is `bgra8`.
  public let bitmap: Bitmap

  /// Converts a bitmap, unless it already is in `bgra8`.
  ///
  /// - Complexity: O(1) for `bgra8`, else O(pixels).
  public init(_ bitmap: Bitmap, pool: PixelBufferPool = .shared) {
    self.bitmap = bitmap.converted(to: .bgra8, pool: pool)
  }

  /// Makes a bitmap row by row.
  ///
  /// - Parameters:
  ///   - size: the size in pixels; not empty, and checked against limits by the caller.
  ///   - colorSpace: the colour space of the values; sRGB by default.
  ///   - pool: the pool that the memory comes from.
  ///   - write: receives the index of each row, from top to bottom, and its pixels, which are transparent black at
  ///     first.
  /// - Throws: the errors of the closure.
  /// - Complexity: O(pixels) plus the work of the closure.
  public init<Failure: Error>(
    size: PixelSize, isOpaque: Bool, colorSpace: ColorSpaceTag = .sRGB, pool: PixelBufferPool = .shared,
    writingRows write: (_ y: Int, _ row: inout MutableSpan<Pixel>) throws(Failure) -> Void
  ) throws(Failure) {
    self = try .making(size: size, isOpaque: isOpaque, colorSpace: colorSpace, pool: pool) {
      (y, row) throws(Failure) in
      // Memory of the pool may still contain another picture, which must not show where the closure writes nothing.
      row.update(repeating: .clear)
      var span = row.mutableSpan
      try write(y, &span)
    }
  }

  /// The size in pixels.
  public var size: PixelSize { bitmap.size }
  /// Whether every pixel is known to be opaque.
  public var isOpaque: Bool { bitmap.isOpaque }
  /// The colour space of the values.
  public var colorSpace: ColorSpaceTag { bitmap.colorSpace }

  /// The pixel at a position.
  ///
  /// - Precondition: the position lies inside.
  public subscript(x: Int, y: Int) -> Pixel {
    withPixels { pixels, rows in
      precondition(x >= 0 && x < rows.width, "position outside the bitmap")
      return pixels[rows[y].lowerBound + x]
    }
  }

  /// Calls a closure with all pixels, which are valid only during the call.
  ///
  /// - Parameter body: receives the pixels, and the place of each row among them: `pixels.extracting(rows[y])` is a
  ///   row. Between two rows there may be padding pixels.
  public func withPixels<Result, Failure: Error>(
    _ body: (_ pixels: Span<Pixel>, _ rows: PixelRows) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let rows = PixelRows(width: size.width, height: size.height, step: bitmap.bytesPerRow / 4)
    return try bitmap.withUnsafeBytes { (bytes) throws(Failure) in
      try body(bytes.bindMemory(to: Pixel.self).span, rows)
    }
  }

  /// Calls a closure with the pixels of one row, which are valid only during the call.
  ///
  /// - Precondition: the row lies inside.
  public func withRow<Result, Failure: Error>(
    _ y: Int, _ body: (Span<Pixel>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withPixels { (pixels, rows) throws(Failure) in try body(pixels.extracting(rows[y])) }
  }

  /// The bitmap with each pixel replaced by a function of its value.
  ///
  /// - Parameter isOpaque: whether every pixel of the result is opaque; `nil` (the default) if the function does
  ///   not change alpha.
  /// - Complexity: O(pixels).
  public func map(
    isOpaque: Bool? = nil, pool: PixelBufferPool = .shared, _ transform: (Pixel) -> Pixel
  ) -> BGRABitmap {
    mapped(isOpaque: isOpaque ?? self.isOpaque, pool: pool) { pixel, _, _ in transform(pixel) }
  }
}

/// The places of a picture's rows among all its pixels.
public struct PixelRows: Hashable, Sendable {
  /// The number of pixels in a row.
  public let width: Int
  /// The number of rows.
  public let height: Int
  /// The distance from the first pixel of a row to that of the next.
  let step: Int

  /// The indices of a row's pixels.
  ///
  /// - Precondition: `y` is in `0..<height`.
  public subscript(y: Int) -> Range<Int> {
    precondition(y >= 0 && y < height, "a row outside the bitmap")
    return y * step..<y * step + width
  }
}
