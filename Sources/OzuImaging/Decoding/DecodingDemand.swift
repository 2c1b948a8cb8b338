/// The bytes that decoding a picture takes beside the pixels or planes that it makes: buffers of the decoder and of the
/// library under it, such as the coefficients of a progressive JPEG.
public struct DecodingDemand: Hashable, Sendable {
  /// The most bytes at one time while pixels or planes are made.
  public var byteCount: Int
  /// Of these, the bytes that are taken until the file is closed.
  public var keptByteCount: Int
  /// Whether `ImageFile.withRows` hands out the pixels, so that there is no bitmap of all of them.
  public var handsOutRows: Bool

  /// Makes a demand; by default a decoder that takes nothing to speak of, and makes a whole bitmap.
  public init(byteCount: Int = 0, keptByteCount: Int = 0, handsOutRows: Bool = false) {
    self.byteCount = byteCount
    self.keptByteCount = keptByteCount
    self.handsOutRows = handsOutRows
  }
}
