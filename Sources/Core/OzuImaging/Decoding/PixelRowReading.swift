/// Delivers the pixels of a picture row by row, from top to bottom, each row once.
///
/// A decoder that supports this never has the whole picture in memory. Pixels are premultiplied BGRA, as in a
/// `Bitmap` of the format `bgra8`.
public protocol PixelRowReading: AnyObject {
  /// The size of the picture, in pixels.
  var size: PixelSize { get }
  /// Whether every pixel is opaque.
  var isOpaque: Bool { get }
  /// The meaning of the colour values.
  var colorSpace: ColorSpaceTag { get }

  /// Writes the next row. It calls `DecodingContext.checkpoint()` every few rows.
  ///
  /// - Parameter row: memory for the row: `size.width` pixels of four bytes.
  /// - Precondition: fewer than `size.height` rows were read.
  /// - Throws: `ImageDecodingError`; the reader must not be used after that.
  func readRow(into row: inout MutableSpan<UInt8>) throws(ImageDecodingError)
}
