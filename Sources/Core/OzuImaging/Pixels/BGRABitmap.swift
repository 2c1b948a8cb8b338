import OzuBase

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

// Building blocks of the processors. Bounds are checked for each row, not for each pixel.

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
}

extension BGRABitmap {
  /// A checksum of 128 bits in hexadecimal digits, of the size and the pixels without padding. It is the same in
  /// every run.
  ///
  /// It is two multiplicative hashes of the words (FNV-1a, each with a shift that moves high bits down) with
  /// different factors. It distinguishes the pictures of one app; it is not safe against deliberate collisions.
  ///
  /// - Complexity: O(pixels).
  var checksum: String {
    var first: UInt64 = 0xCBF2_9CE4_8422_2325
    var second: UInt64 = 0x9E37_79B9_7F4A_7C15
    func add(_ word: UInt64) {
      first = (first ^ word) &* 0x0000_0100_0000_01B3
      first ^= first >> 32
      second = (second ^ word) &* 0xFF51_AFD7_ED55_8CCD
      second ^= second >> 29
    }
    add(UInt64(size.width))
    add(UInt64(size.height))
    withPixels { pixels, rows in
      for y in 0..<rows.height {
        for index in rows[y] { add(UInt64(unsafeBitCast(pixels[index], to: UInt32.self))) }
      }
    }
    return (first.bigEndianBytes(8) + second.bigEndianBytes(8)).hexadecimal
  }
}
