/// Immutable pixels in memory.
///
/// A bitmap is a value that shares its storage: a copy is a reference. Toolkits show the bytes without copying
/// them. Rows are `bytesPerRow` apart, which may be more than the row's own bytes; the padding between rows is
/// undefined.
public struct Bitmap: Sendable {
  /// The size in pixels.
  public let size: PixelSize
  /// The layout of a pixel.
  public let format: PixelFormat
  /// The distance from one row to the next in bytes; a multiple of 16.
  public let bytesPerRow: Int
  /// Whether every pixel is known to be opaque.
  public let isOpaque: Bool
  /// The colour space of the values.
  public let colorSpace: ColorSpaceTag

  /// Not private only because `storage` in `PixelBuffer.swift` needs it.
  let buffer: PixelBuffer

  /// Takes memory from a pool and calls a closure that writes the pixels.
  ///
  /// - Parameters:
  ///   - size: the size in pixels; not empty, and checked against limits by the caller.
  ///   - isOpaque: whether every alpha the closure writes is 255.
  ///   - colorSpace: the colour space of the values; sRGB by default.
  ///   - pool: the pool that the memory comes from.
  ///   - write: receives the bytes and the distance between rows. The bytes may contain an earlier picture or
  ///     anything else: the closure must write every pixel.
  /// - Throws: the errors of the closure.
  public init<Failure: Error>(
    size: PixelSize, format: PixelFormat = .bgra8, isOpaque: Bool, colorSpace: ColorSpaceTag = .sRGB,
    pool: PixelBufferPool = .shared,
    initializingWith write: (UnsafeMutableRawBufferPointer, Int) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(!size.isEmpty, "a bitmap has pixels")
    let bytesPerRow = Self.bytesPerRow(width: size.width, format: format)
    let byteCount = bytesPerRow * size.height
    let buffer = PixelBuffer(byteCount: byteCount, pool: pool)
    try write(UnsafeMutableRawBufferPointer(rebasing: buffer.memory[..<byteCount]), bytesPerRow)
    self.size = size
    self.format = format
    self.bytesPerRow = bytesPerRow
    self.isOpaque = isOpaque
    self.colorSpace = colorSpace
    self.buffer = buffer
  }

  /// The same pixels with another colour space. Shares the memory.
  public func withColorSpace(_ colorSpace: ColorSpaceTag) -> Bitmap {
    Bitmap(self, colorSpace: colorSpace)
  }

  private init(_ other: Bitmap, colorSpace: ColorSpaceTag) {
    size = other.size
    format = other.format
    bytesPerRow = other.bytesPerRow
    isOpaque = other.isOpaque
    self.colorSpace = colorSpace
    buffer = other.buffer
  }

  /// The bytes that the pixels take, including padding.
  public var byteCount: Int { bytesPerRow * size.height }

  /// Calls a closure with the bytes, which are valid only during the call.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(rebasing: buffer.memory[..<byteCount]))
  }

  /// The distance between rows of a bitmap of this width: the row's bytes rounded up to 16, the width of a SIMD
  /// register.
  public static func bytesPerRow(width: Int, format: PixelFormat) -> Int {
    (width * format.bytesPerPixel + 15) & ~15
  }
}
