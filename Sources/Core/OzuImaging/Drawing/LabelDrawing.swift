/// Measures and draws labels.
///
/// `CodecRegistry.labelDrawing` is one. Its calls wait for another process where decoders are isolated, so call them on a
/// thread that decodes, never on one of Swift's cooperative pool.
public protocol LabelDrawing: Sendable {
  /// The size of the bitmap that `draw` makes of a label: its text with its outline, its shadow and its background. No pixels
  /// are drawn.
  ///
  /// - Throws: `LabelError`.
  func size(of label: Label, context: DecodingContext) throws(LabelError) -> PixelSize

  /// Draws a label on transparent pixels, premultiplied, in `bgra8` and sRGB.
  ///
  /// The notes of the picture say what is not as it was asked for, such as characters without a glyph in any font.
  ///
  /// - Throws: `LabelError`. Limits are checked before memory is taken.
  func picture(of label: Label, context: DecodingContext) throws(LabelError) -> Picture
}

extension LabelDrawing {
  /// The size of the bitmap that `draw` makes of a label.
  ///
  /// - Throws: `LabelError`.
  public func size(of label: Label) throws(LabelError) -> PixelSize {
    try size(of: label, context: DecodingContext())
  }

  /// Draws a label on transparent pixels, premultiplied, in `bgra8` and sRGB.
  ///
  /// - Throws: `LabelError`.
  public func draw(_ label: Label) throws(LabelError) -> Bitmap {
    try picture(of: label, context: DecodingContext()).bitmap
  }
}
