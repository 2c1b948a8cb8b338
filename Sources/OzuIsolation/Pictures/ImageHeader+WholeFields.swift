import OzuImaging
import OzuRecords

extension ImageHeader {
  /// All of a header but the layout of its planes: those do not go from process to process.
  func writeWhole(to writer: inout FieldWriter) {
    write(to: &writer)
    writer.append(colorEncoding) { $1.write(to: &$0) }
    writer.append(dotsPerInch) { $0.append($1) }
    writer.append(metadata) { $1.write(to: &$0) }
  }

  init(whole reader: inout FieldReader) throws(FieldReader.Damage) {
    try self.init(from: &reader)
    colorEncoding = try reader.optional { (reader) throws(FieldReader.Damage) in
      try ColorEncoding(from: &reader)
    }
    dotsPerInch = try reader.optional { (reader) throws(FieldReader.Damage) in try reader.number() }
    metadata = try reader.optional { (reader) throws(FieldReader.Damage) in
      try PictureMetadata(from: &reader)
    }
  }
}

extension ColorEncoding {
  fileprivate func write(to writer: inout FieldWriter) {
    switch self {
    case .profile(let profile):
      writer.append(0)
      profile.write(to: &writer)
    case .coded(let primaries, let transfer):
      writer.append(1)
      writer.append(primaries)
      writer.append(transfer)
    case .calibrated(let gamma, let points):
      writer.append(2)
      writer.append(gamma)
      for point in [points.white, points.red, points.green, points.blue] {
        writer.append(point.x)
        writer.append(point.y)
      }
    }
  }

  fileprivate init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    func point(_ reader: inout FieldReader) throws(FieldReader.Damage) -> Chromaticities.Point {
      Chromaticities.Point(try reader.number(), try reader.number())
    }
    switch try reader.integer() {
    case 0: self = .profile(try ICCProfile(from: &reader))
    case 1: self = .coded(primaries: try reader.integer(), transfer: try reader.integer())
    case 2:
      self = .calibrated(
        gamma: try reader.number(),
        chromaticities: Chromaticities(
          white: try point(&reader), red: try point(&reader), green: try point(&reader),
          blue: try point(&reader)))
    default: throw FieldReader.Damage()
    }
  }
}

extension ICCProfile {
  fileprivate func write(to writer: inout FieldWriter) {
    writer.append(name) { $0.append($1) }
    writer.append(data)
  }

  fileprivate init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    self.init(
      name: try reader.optional { (reader) throws(FieldReader.Damage) in try reader.text() },
      data: try reader.data())
  }
}

extension PictureMetadata {
  fileprivate func write(to writer: inout FieldWriter) {
    writer.append(captureDate) { $0.append($1) }
    writer.append(camera) { $0.append($1) }
    writer.append(hasThumbnail)
    writer.append(lens) { $0.append($1) }
    writer.append(exposureTime) { $0.append($1) }
    writer.append(fNumber) { $0.append($1) }
    writer.append(isoSensitivity) { $0.append($1) }
    writer.append(focalLength) { $0.append($1) }
    writer.append(hasPlace)
  }

  fileprivate init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    func text(_ reader: inout FieldReader) throws(FieldReader.Damage) -> String? {
      try reader.optional { (reader) throws(FieldReader.Damage) in try reader.text() }
    }
    func number(_ reader: inout FieldReader) throws(FieldReader.Damage) -> Double? {
      try reader.optional { (reader) throws(FieldReader.Damage) in try reader.number() }
    }
    self.init(
      captureDate: try text(&reader), camera: try text(&reader), hasThumbnail: try reader.flag())
    lens = try text(&reader)
    exposureTime = try number(&reader)
    fNumber = try number(&reader)
    isoSensitivity = try reader.optional { (reader) throws(FieldReader.Damage) in try reader.integer() }
    focalLength = try number(&reader)
    hasPlace = try reader.flag()
  }
}

extension ImageMetadata {
  func write(to writer: inout FieldWriter) {
    writer.append(exif) { $0.append($1) }
    writer.append(xmp) { $0.append($1) }
    writer.append(colorProfile) { $1.write(to: &$0) }
    writer.append(resolution) {
      $0.append($1.horizontal)
      $0.append($1.vertical)
    }
    writer.append(notes) { $0.append($1) }
  }

  init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    self.init()
    exif = try reader.optional { (reader) throws(FieldReader.Damage) in try reader.data() }
    xmp = try reader.optional { (reader) throws(FieldReader.Damage) in try reader.data() }
    colorProfile = try reader.optional { (reader) throws(FieldReader.Damage) in
      try ICCProfile(from: &reader)
    }
    resolution = try reader.optional { (reader) throws(FieldReader.Damage) in
      ImageResolution(horizontal: try reader.number(), vertical: try reader.number())
    }
    notes = try reader.list { (reader) throws(FieldReader.Damage) in try reader.text() }
  }
}
