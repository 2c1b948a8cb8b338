/// Pixels that are being drawn. A surface exists only inside `BGRABitmap.drawing`, before any other code can see the
/// bitmap, so several shapes can be drawn one over the other without a copy for each.
///
/// Its bytes are those of a `Bitmap` in `bgra8`; why a row of pixels lies inside them is said at `BGRABitmap`.
struct PixelSurface {
  let size: PixelSize
  private let bytes: UnsafeMutableRawBufferPointer
  private let bytesPerRow: Int

  fileprivate init(size: PixelSize, bytes: UnsafeMutableRawBufferPointer, bytesPerRow: Int) {
    self.size = size
    self.bytes = bytes
    self.bytesPerRow = bytesPerRow
  }

  /// Calls a closure with some pixels of a row, to change them.
  ///
  /// - Precondition: the row and the columns lie inside.
  @inline(__always)
  func edit(_ y: Int, _ columns: Range<Int>, _ body: (inout MutableSpan<Pixel>) -> Void) {
    precondition(y >= 0 && y < size.height, "a row outside the surface")
    precondition(columns.lowerBound >= 0 && columns.upperBound <= size.width, "columns outside the surface")
    let start = y * bytesPerRow + columns.lowerBound * 4
    let row = UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + columns.count * 4])
    var span = row.bindMemory(to: Pixel.self).mutableSpan
    body(&span)
  }

  /// The whole pixels that a stretch of an axis touches, inside `0..<extent`. Empty for numbers that are not finite.
  @inline(__always)
  static func touched(from start: Double, to end: Double, in extent: Int) -> Range<Int> {
    guard start < end else { return 0..<0 }
    let first = Int(max(0, min(start.rounded(.down), Double(extent))))
    let last = Int(max(Double(first), min(end.rounded(.up), Double(extent))))
    return first..<last
  }
}

extension BGRABitmap {
  /// A copy of a picture, or a transparent picture, on which a closure draws.
  ///
  /// - Parameter base: has the size `size`; `nil` for a transparent picture.
  /// - Throws: the errors of the closure.
  static func drawing<Failure: Error>(
    on base: BGRABitmap? = nil, size: PixelSize, isOpaque: Bool, colorSpace: ColorSpaceTag = .sRGB,
    pool: PixelBufferPool, _ draw: (PixelSurface) throws(Failure) -> Void
  ) throws(Failure) -> BGRABitmap {
    precondition(base == nil || base?.size == size, "a base of the size")
    let bitmap = try Bitmap(size: size, isOpaque: isOpaque, colorSpace: colorSpace, pool: pool) {
      (bytes, bytesPerRow) throws(Failure) in
      if let base {
        // Both have one size and format, so the same number of bytes.
        base.bitmap.withUnsafeBytes { bytes.copyMemory(from: $0) }
      } else {
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
      }
      try draw(PixelSurface(size: size, bytes: bytes, bytesPerRow: bytesPerRow))
    }
    return BGRABitmap(bitmap, pool: pool)
  }
}
