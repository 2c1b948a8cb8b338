import OzuBase

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
