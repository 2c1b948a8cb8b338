import OzuBase

/// Measures and draws labels.
///
/// `CodecRegistry.labelDrawing` is one. Its calls wait for another process where decoders are isolated, so call them on a
/// thread that decodes, never on one of Swift's cooperative pool.
public protocol LabelDrawing: Sendable {
  /// The size of the bitmap that `draw` makes of a label: its text with its outline, its shadow and its background. No pixels
  /// are drawn.
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
  public func size(of label: Label) throws(LabelError) -> PixelSize {
    try size(of: label, context: DecodingContext())
  }

  /// Draws a label on transparent pixels, premultiplied, in `bgra8` and sRGB.
  public func draw(_ label: Label) throws(LabelError) -> Bitmap {
    try picture(of: label, context: DecodingContext()).bitmap
  }
}

/// Draws labels through a decoder of their documents, in this process or in another.
struct DocumentLabelDrawing: LabelDrawing {
  /// Its only codec is that decoder.
  private let codecs: CodecRegistry
  /// Why there is none.
  private let absence: String?

  init(decoder: (any ImageDecoding)?, absence: String?) {
    var codecs = CodecRegistry()
    if let decoder { codecs.register(decoder: decoder) }
    self.codecs = codecs
    self.absence = decoder == nil ? absence ?? "no decoder is registered for them" : nil
  }

  func size(of label: Label, context: DecodingContext) throws(LabelError) -> PixelSize {
    let document = try document(label, context)
    do throws(ImageDecodingError) {
      try context.checkpoint()
      return try codecs.header(of: document, limits: context.limits).size
    } catch {
      throw LabelError(error)
    }
  }

  func picture(of label: Label, context: DecodingContext) throws(LabelError) -> Picture {
    let document = try document(label, context)
    do throws(ImageDecodingError) {
      return try codecs.picture(from: document, context: context)
    } catch {
      throw LabelError(error)
    }
  }

  /// The document of a label that may be drawn, which is the same whether it is drawn here or elsewhere.
  private func document(_ label: Label, _ context: DecodingContext) throws(LabelError) -> Data {
    try label.check(context.limits)
    if let absence { throw .unavailable(reason: absence) }
    return try LabelDocument.data(label)
  }
}
