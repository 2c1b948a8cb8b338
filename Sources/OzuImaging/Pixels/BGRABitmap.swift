/// A bitmap in `bgra8`: the one form in which processors, canvases of animations and toolkits see pixels.
///
/// The format is part of the type. There are two ways to a value: a `Bitmap` is converted, which costs nothing where it
/// has the format, or rows of `Pixel` are written. So code that takes this type cannot misread grey or 16-bit pixels.
///
/// Pixels are seen through spans, whose every access is checked, in release builds too:
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
/// This type and the kernels of the blur alone turn bytes into pixels. Why no access is outside: a row of a `Bitmap` in
/// `bgra8` has `size.width` pixels of four bytes at `y * bytesPerRow`, which is a multiple of 16 and at least as long,
/// and there are `size.height` of them. `Pixel` has four bytes, no padding and an alignment of one, so it may be laid
/// over the bytes.
public struct BGRABitmap: Equatable, Sendable {
  /// The same pixels as a bitmap of any format; it is in `bgra8`.
  public let bitmap: Bitmap

  /// Converts a bitmap, unless it has the format.
  ///
  /// - Complexity: O(1) for `bgra8`, else O(pixels).
  public init(_ bitmap: Bitmap, pool: PixelBufferPool = .shared) {
    self.bitmap = bitmap.converted(to: .bgra8, pool: pool)
  }

  /// Makes a bitmap row by row.
  ///
  /// - Parameters:
  ///   - size: the size in pixels; not empty, and checked against limits by the caller.
  ///   - isOpaque: whether every pixel that the closure writes is opaque.
  ///   - colorSpace: what the values mean; sRGB by default.
  ///   - pool: where the memory comes from.
  ///   - write: gets the number of each row, from top to bottom, and its pixels, which are transparent black at first.
  /// - Throws: what the closure throws.
  /// - Complexity: O(pixels) beside what the closure does.
  public init<Failure: Error>(
    size: PixelSize, isOpaque: Bool, colorSpace: ColorSpaceTag = .sRGB, pool: PixelBufferPool = .shared,
    writingRows write: (_ y: Int, _ row: inout MutableSpan<Pixel>) throws(Failure) -> Void
  ) throws(Failure) {
    self = try .making(size: size, isOpaque: isOpaque, colorSpace: colorSpace, pool: pool) {
      (y, row) throws(Failure) in
      // Memory of the pool may hold another picture, which a closure that leaves pixels out must not show.
      row.update(repeating: .clear)
      var span = row.mutableSpan
      try write(y, &span)
    }
  }

  /// The size in pixels.
  public var size: PixelSize { bitmap.size }
  /// Whether every pixel is known to be opaque.
  public var isOpaque: Bool { bitmap.isOpaque }
  /// What the colour values mean.
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

  /// Calls a closure with all pixels, valid during the call only.
  ///
  /// - Parameter body: gets the pixels, and where each row is among them: `pixels.extracting(rows[y])` is a row.
  ///   Between two rows there may be pixels that belong to none.
  public func withPixels<Result, Failure: Error>(
    _ body: (_ pixels: Span<Pixel>, _ rows: PixelRows) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let rows = PixelRows(width: size.width, height: size.height, step: bitmap.bytesPerRow / 4)
    return try bitmap.withUnsafeBytes { (bytes) throws(Failure) in
      try body(bytes.bindMemory(to: Pixel.self).span, rows)
    }
  }

  /// Calls a closure with the pixels of one row, valid during the call only.
  ///
  /// - Precondition: the row lies inside.
  public func withRow<Result, Failure: Error>(
    _ y: Int, _ body: (Span<Pixel>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withPixels { (pixels, rows) throws(Failure) in try body(pixels.extracting(rows[y])) }
  }

  /// The bitmap with each pixel replaced by a function of itself.
  ///
  /// - Parameter isOpaque: whether every pixel of the result is opaque; `nil` (the default) when the function leaves
  ///   alpha as it is.
  /// - Complexity: O(pixels).
  public func map(
    isOpaque: Bool? = nil, pool: PixelBufferPool = .shared, _ transform: (Pixel) -> Pixel
  ) -> BGRABitmap {
    mapped(isOpaque: isOpaque ?? self.isOpaque, pool: pool) { pixel, _, _ in transform(pixel) }
  }
}

/// Where the rows of a picture are among all its pixels.
public struct PixelRows: Hashable, Sendable {
  /// The pixels of a row.
  public let width: Int
  /// The number of rows.
  public let height: Int
  /// From the first pixel of a row to that of the next.
  let step: Int

  /// The indices of a row's pixels.
  ///
  /// - Precondition: `y` is in `0..<height`.
  public subscript(y: Int) -> Range<Int> {
    precondition(y >= 0 && y < height, "a row outside the bitmap")
    return y * step..<y * step + width
  }
}
