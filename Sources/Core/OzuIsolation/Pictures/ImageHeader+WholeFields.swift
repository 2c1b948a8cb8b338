import OzuBase
import OzuImaging

extension ImageHeader {
  /// Writes the whole header except for the layout of its planes, which is not sent between processes.
  func writeWhole(to writer: inout FieldWriter) {
    write(to: &writer)
    writer.append(exactSize) { writer, size in
      writer.append(size.x)
      writer.append(size.y)
    }
    writer.append(colorEncoding) { $1.write(to: &$0) }
    writer.append(dotsPerInch) { $0.append($1) }
    writer.append(metadata) { $1.write(to: &$0) }
    writer.append(lightLevels) { writer, levels in
      for level in [
        levels.maximumContent, levels.maximumAverage, levels.masteringPeak, levels.masteringMinimum,
      ] {
        writer.append(level) { $0.append($1) }
      }
      writer.append(levels.masteringGamut) { $1.write(to: &$0) }
    }
    writer.append(gainMap) { $1.write(to: &$0) }
    writer.append(missingBytes) { writer, range in
      writer.append(range.lowerBound)
      writer.append(range.upperBound)
    }
    writer.append(cameraRAW) { writer, raw in
      writer.append(raw.size) { $1.write(to: &$0) }
      writer.append(raw.previewSizes) { $1.write(to: &$0) }
      writer.append(raw.isCut)
    }
    writer.append(notes: notes)
  }

  init(whole reader: inout FieldReader) throws(FieldReader.Damage) {
    try self.init(from: &reader)
    exactSize = try reader.optional { (reader) throws(FieldReader.Damage) in
      SIMD2(try reader.number(), try reader.number())
    }
    colorEncoding = try reader.optional(ColorEncoding.init(from:))
    dotsPerInch = try reader.optionalNumber()
    metadata = try reader.optional(PictureMetadata.init(from:))
    lightLevels = try reader.optional { (reader) throws(FieldReader.Damage) in
      var levels = LightLevels(
        maximumContent: try reader.optionalNumber(), maximumAverage: try reader.optionalNumber(),
        masteringPeak: try reader.optionalNumber())
      levels.masteringMinimum = try reader.optionalNumber()
      levels.masteringGamut = try reader.optional(Chromaticities.init(from:))
      return levels
    }
    gainMap = try reader.optional(GainMap.init(from:))
    missingBytes = try reader.optional { (reader) throws(FieldReader.Damage) in try reader.byteRange() }
    cameraRAW = try reader.optional { (reader) throws(FieldReader.Damage) in
      CameraRAW(
        size: try reader.optional(PixelSize.init(from:)),
        previewSizes: try reader.list(atMost: CameraRAW.mostPreviews, PixelSize.init(from:)),
        isCut: try reader.flag())
    }
    notes = try reader.notes()
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
      points.write(to: &writer)
    }
  }

  fileprivate init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    switch try reader.integer() {
    case 0: self = .profile(try ICCProfile(from: &reader))
    case 1: self = .coded(primaries: try reader.integer(), transfer: try reader.integer())
    case 2:
      self = .calibrated(
        gamma: try reader.number(), chromaticities: try Chromaticities(from: &reader))
    default: throw FieldReader.Damage()
    }
  }
}

extension Chromaticities {
  fileprivate func write(to writer: inout FieldWriter) {
    for point in [white, red, green, blue] {
      writer.append(point.x)
      writer.append(point.y)
    }
  }

  fileprivate init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    func point(_ reader: inout FieldReader) throws(FieldReader.Damage) -> Chromaticities.Point {
      Chromaticities.Point(x: try reader.number(), y: try reader.number())
    }
    self.init(
      white: try point(&reader), red: try point(&reader), green: try point(&reader), blue: try point(&reader))
  }
}

extension FieldReader {
  mutating func optionalNumber() throws(Damage) -> Double? {
    try optional { (reader) throws(Damage) in try reader.number() }
  }

  mutating func optionalInteger() throws(Damage) -> Int? {
    try optional { (reader) throws(Damage) in try reader.integer() }
  }

  mutating func optionalText() throws(Damage) -> String? {
    try optional { (reader) throws(Damage) in try reader.text() }
  }

  mutating func optionalData() throws(Damage) -> Data? {
    try optional { (reader) throws(Damage) in try reader.data() }
  }

  fileprivate mutating func byteRange() throws(Damage) -> Range<Int> {
    let (start, end) = (try integer(), try integer())
    guard 0 <= start, start <= end else { throw Damage() }
    return start..<end
  }
}

extension GainMap {
  fileprivate func write(to writer: inout FieldWriter) {
    size.write(to: &writer)
    writer.append(bytes.lowerBound)
    writer.append(bytes.upperBound)
    writer.append(channels) { writer, channel in
      for number in [
        channel.minimum, channel.maximum, channel.gamma, channel.baseOffset, channel.alternateOffset,
      ] {
        writer.append(number)
      }
    }
    writer.append(baseHeadroom)
    writer.append(alternateHeadroom)
    writer.append(isInColorsOfPicture)
    writer.append(coding.rawValue)
    writer.append(edits) { writer, edit in
      writer.append(edit.offset)
      writer.append(Data(edit.bytes))
    }
  }

  fileprivate init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    let size = try PixelSize(from: &reader)
    let bytes = try reader.byteRange()
    let channels = try reader.list(atMost: 3) { (reader) throws(FieldReader.Damage) in
      GainMap.Channel(
        minimum: try reader.number(), maximum: try reader.number(), gamma: try reader.number(),
        baseOffset: try reader.number(), alternateOffset: try reader.number())
    }
    self.init(
      size: size, bytes: bytes, channels: channels, baseHeadroom: try reader.number(),
      alternateHeadroom: try reader.number())
    isInColorsOfPicture = try reader.flag()
    guard let coding = Coding(rawValue: try reader.integer()) else { throw FieldReader.Damage() }
    self.coding = coding
    edits = try reader.list(atMost: 16) { (reader) throws(FieldReader.Damage) in
      Edit(offset: try reader.integer(), bytes: [UInt8](try reader.data()))
    }
  }
}

extension ICCProfile {
  fileprivate func write(to writer: inout FieldWriter) {
    writer.append(name) { $0.append($1) }
    writer.append(data)
  }

  fileprivate init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    self.init(name: try reader.optionalText(), data: try reader.data())
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
    self.init(
      captureDate: try reader.optionalText(), camera: try reader.optionalText(),
      hasThumbnail: try reader.flag())
    lens = try reader.optionalText()
    exposureTime = try reader.optionalNumber()
    fNumber = try reader.optionalNumber()
    isoSensitivity = try reader.optionalInteger()
    focalLength = try reader.optionalNumber()
    hasPlace = try reader.flag()
  }
}

extension ImageMetadata {
  func write(to writer: inout FieldWriter) {
    writer.append(exif) { $0.append($1) }
    writer.append(xmp) { $0.append($1) }
    writer.append(iptc) { $0.append($1) }
    writer.append(colorProfile) { $1.write(to: &$0) }
    writer.append(resolution) { $1.write(to: &$0) }
    writer.append(notes: notes)
    values.write(to: &writer)
  }

  init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    self.init()
    exif = try reader.optionalData()
    xmp = try reader.optionalData()
    iptc = try reader.optionalData()
    colorProfile = try reader.optional(ICCProfile.init(from:))
    resolution = try reader.optional { (reader) throws(FieldReader.Damage) in
      try ImageResolution(from: &reader)
    }
    notes = try reader.notes()
    values = try MetadataValues(from: &reader)
  }
}
