/// The bytes that decoding a picture takes beside the pixels or planes that it makes: buffers of the decoder and of the
/// library under it, such as the coefficients of a progressive JPEG.
public struct DecodingDemand: Hashable, Sendable {
  /// The most bytes at one time while pixels or planes are made.
  public let byteCount: Int
  /// Of these, the bytes that are taken until the file is closed.
  public let keptByteCount: Int
  /// Whether `ImageFile.withRows` hands out the pixels, so that there is no bitmap of all of them.
  public let handsOutRows: Bool

  /// Makes a demand; by default a decoder that takes nothing to speak of, and makes a whole bitmap. Fewer than no bytes are
  /// none: a budget has no more for it.
  public init(byteCount: Int = 0, keptByteCount: Int = 0, handsOutRows: Bool = false) {
    self.byteCount = max(0, byteCount)
    self.keptByteCount = max(0, keptByteCount)
    self.handsOutRows = handsOutRows
  }
}
