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
  public private(set) var colorSpace: ColorSpaceTag

  /// Not private only because `PictureRows` reads it in place.
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
    var bitmap = self
    bitmap.colorSpace = colorSpace
    return bitmap
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

extension Bitmap {
  /// Makes a bitmap from a function of the position. For tests, placeholders and patterns.
  ///
  /// - Complexity: O(pixels), one call each.
  public init(size: PixelSize, isOpaque: Bool = true, pixel: (_ x: Int, _ y: Int) -> Pixel) {
    self =
      BGRABitmap.making(size: size, isOpaque: isOpaque, colorSpace: .sRGB, pool: .shared) { y, row in
        for x in row.indices { row[x] = pixel(x, y) }
      }.bitmap
  }

  /// The pixel at a position, converted to 8 bits if the format has more.
  ///
  /// - Precondition: the position lies inside.
  public subscript(x: Int, y: Int) -> Pixel {
    precondition(x >= 0 && x < size.width && y >= 0 && y < size.height, "position outside the bitmap")
    return withUnsafeBytes { bytes in
      UnsafeRawBufferPointer(rebasing: bytes[(y * bytesPerRow)...]).pixel(x, format)
    }
  }
}

extension Bitmap: Equatable {
  /// Whether size, format and all pixels are equal; padding is ignored.
  public static func == (a: Bitmap, b: Bitmap) -> Bool {
    guard a.size == b.size, a.format == b.format else { return false }
    let rowByteCount = a.size.width * a.format.bytesPerPixel
    return a.withUnsafeBytes { left in
      b.withUnsafeBytes { right in
        (0..<a.size.height).allSatisfy { y in
          left[y * a.bytesPerRow..<y * a.bytesPerRow + rowByteCount]
            .elementsEqual(right[y * b.bytesPerRow..<y * b.bytesPerRow + rowByteCount])
        }
      }
    }
  }
}

/// A block of pixel memory that is lent by a pool. It goes back when the last bitmap that uses it is released.
///
/// `@unchecked Sendable`: the bytes are written only inside `Bitmap.init(…initializingWith:)`, before any other
/// code can see the buffer, and are read-only after that.
final class PixelBuffer: @unchecked Sendable {
  let memory: UnsafeMutableRawBufferPointer
  private let pool: PixelBufferPool

  init(byteCount: Int, pool: PixelBufferPool) {
    memory = pool.takeBlock(byteCount: byteCount)
    self.pool = pool
  }

  deinit {
    pool.giveBack(memory)
  }
}

extension Bitmap {
  /// The memory of the pixels, and the object that owns it.
  ///
  /// For toolkits that show pixels without copying them and call back when they are done: the bytes stay valid and
  /// do not change while the owner is retained.
  ///
  /// ```swift
  /// let storage = bitmap.storage
  /// let owner = Unmanaged.passRetained(storage.owner)   // released by the toolkit's own callback
  /// show(storage.bytes.baseAddress, storage.bytes.count, owner.toOpaque())
  /// ```
  public var storage: (bytes: UnsafeRawBufferPointer, owner: AnyObject) {
    // The buffer allocates its memory once, and nothing writes to it after the bitmap's initialiser.
    (withUnsafeBytes { $0 }, buffer)
  }
}

/// The colour space of a bitmap's values.
public enum ColorSpaceTag: Hashable, Sendable {
  /// IEC 61966-2-1 sRGB; also assumed if a file declares nothing.
  case sRGB
  /// The values are as stored, under the embedded ICC profile of this name.
  case icc(name: String)
  /// The values are as stored, with an encoding that is no profile: primaries and a transfer function.
  case encoded(name: String)
  /// The values are as stored, with colour primaries and a transfer function by their numbers in ITU-T H.273.
  case coded(primaries: Int, transfer: Int)
}
