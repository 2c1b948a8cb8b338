/// Immutable pixels in memory.
///
/// A bitmap is a value that shares its storage: copying one copies a reference. Toolkits show the bytes where
/// they are. Rows are `bytesPerRow` apart, which may be more than the row's own bytes; what lies between is
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
  /// What the colour values mean.
  public let colorSpace: ColorSpaceTag

  /// Not private for `Bitmap+Storage.swift` alone.
  let buffer: PixelBuffer

  /// Takes memory from a pool and lets a closure write the pixels.
  ///
  /// - Parameters:
  ///   - size: the size in pixels; not empty, and checked against limits by the caller.
  ///   - isOpaque: whether every alpha the closure writes is 255.
  ///   - colorSpace: what the values mean; sRGB by default.
  ///   - pool: where the memory comes from.
  ///   - write: gets the bytes and the distance of the rows. The bytes hold an earlier picture or anything
  ///     else: the closure must write every pixel.
  /// - Throws: what the closure throws.
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

  /// The same pixels with another meaning. Shares the memory.
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

  /// The bytes the pixels take, padding included.
  public var byteCount: Int { bytesPerRow * size.height }

  /// Calls a closure with the bytes, valid during the call only.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(rebasing: buffer.memory[..<byteCount]))
  }

  /// The distance of the rows of a bitmap so wide: its bytes rounded up to 16, the width of a SIMD register.
  public static func bytesPerRow(width: Int, format: PixelFormat) -> Int {
    (width * format.bytesPerPixel + 15) & ~15
  }
}
