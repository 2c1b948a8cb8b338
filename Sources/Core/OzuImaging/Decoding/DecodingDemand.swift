/// The bytes that decoding a picture takes beside its pixels or planes: buffers of the decoder and of its library,
/// such as the coefficients of a progressive JPEG.
public struct DecodingDemand: Hashable, Sendable {
  /// The most bytes at one time while pixels or planes are made.
  public let byteCount: Int
  /// The part of these bytes that is taken until the file is closed.
  public let keptByteCount: Int
  /// Whether `ImageFile.withRows` delivers the pixels row by row, so that there is no bitmap of all of them.
  public let deliversRows: Bool
  /// Whether the result is made of many small pieces with a `DecodingContext.checkpoint()` between them, so that memory
  /// and time are bounded however many pixels the file has. The limit on pixels is then a higher one
  /// (`DecodingLimits.pixelCount`).
  public let isPiecewise: Bool

  /// Makes a demand. The default is a decoder that takes nothing worth counting, and makes a whole bitmap. A
  /// negative number of bytes counts as 0.
  public init(
    byteCount: Int = 0, keptByteCount: Int = 0, deliversRows: Bool = false, isPiecewise: Bool = false
  ) {
    self.byteCount = max(0, byteCount)
    self.keptByteCount = max(0, keptByteCount)
    self.deliversRows = deliversRows
    self.isPiecewise = isPiecewise
  }
}
