import OzuBase

extension Resize {
  package func write(to writer: inout FieldWriter) {
    size.write(to: &writer)
    writer.append(mode.rawValue)
    writer.append(crops)
    writer.append(allowsUpscaling)
    writer.append(kernel.rawValue)
    writer.append(quality.rawValue)
    writer.append(light.rawValue)
    writer.append(allowsEmbeddedThumbnail)
    writer.append(region) { $1.write(to: &$0) }
  }

  /// Reads a value that `write` has written. The size is not checked.
  package init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    let size = try PixelSize(from: &reader)
    guard let mode = ScaleMode(rawValue: try reader.text()) else { throw FieldReader.Damage() }
    let (crops, allowsUpscaling) = (try reader.flag(), try reader.flag())
    guard let kernel = ResamplingKernel(rawValue: try reader.text()),
      let quality = DecodingQuality(rawValue: try reader.text()),
      let light = ResamplingLight(rawValue: try reader.text())
    else { throw FieldReader.Damage() }
    self.init(
      size, mode: mode, crops: crops, allowsUpscaling: allowsUpscaling, kernel: kernel, quality: quality,
      light: light, allowsEmbeddedThumbnail: try reader.flag(),
      region: try reader.optional { (reader) throws(FieldReader.Damage) in try PixelRectangle(from: &reader) }
    )
  }
}

extension PixelRectangle {
  package func write(to writer: inout FieldWriter) {
    writer.append(x)
    writer.append(y)
    size.write(to: &writer)
  }

  /// Reads a value that `write` has written. The numbers are not checked.
  package init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    let (x, y) = (try reader.integer(), try reader.integer())
    let size = try PixelSize(from: &reader)
    self.init(x: x, y: y, width: size.width, height: size.height)
  }
}

extension PixelSize {
  package func write(to writer: inout FieldWriter) {
    writer.append(width)
    writer.append(height)
  }

  /// Reads a value that `write` has written. The size is not checked.
  package init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    self.init(try reader.integer(), try reader.integer())
  }
}
