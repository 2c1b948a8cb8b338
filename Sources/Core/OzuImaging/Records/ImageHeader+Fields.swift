import OzuBase

/// The facts of a header that the users of a picture and the rules for derived variants need. Colour encoding and
/// camera metadata are not among them. A header that is impossible is damage.
extension ImageHeader {
  package func write(to writer: inout FieldWriter) {
    writer.append(type.rawValue)
    storedSize.write(to: &writer)
    writer.append(orientation.rawValue)
    writer.append(bitsPerComponent)
    writer.append(colorModel.rawValue)
    writer.append(hasAlpha)
    writer.append(colorProfileName) { $0.append($1) }
    writer.append(frameCount)
    writer.append(isProgressive)
    writer.append(isDrawing)
    writer.append(hasParts)
  }

  package init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    self.init(
      type: ImageType(rawValue: try reader.text()), storedSize: try PixelSize(from: &reader),
      orientation: Orientation(rawValue: try reader.integer()) ?? .up,
      bitsPerComponent: try reader.integer(),
      colorModel: ColorModel(rawValue: try reader.text()) ?? .rgb, hasAlpha: try reader.flag(),
      colorProfileName: try reader.optional { (reader) throws(FieldReader.Damage) in try reader.text() },
      frameCount: try reader.integer(), isProgressive: try reader.flag())
    isDrawing = try reader.flag()
    hasParts = try reader.flag()
    guard flaw(from: [type]) == nil else { throw FieldReader.Damage() }
  }
}
