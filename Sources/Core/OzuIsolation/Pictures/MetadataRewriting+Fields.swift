import OzuBase
import OzuCodecs
import OzuImaging

extension MetadataRewriting {
  func write(to writer: inout FieldWriter) {
    switch self {
    case .file(let kept, let turns):
      writer.append(0)
      writer.append(kept.rawValue)
      writer.append(turns)
    case .blocks(let policy, let size, let colorSpace, let resolution, let isTurned):
      writer.append(1)
      writer.append(policy.rawValue)
      size.write(to: &writer)
      colorSpace.write(to: &writer)
      writer.append(resolution) { $1.write(to: &$0) }
      writer.append(isTurned)
    }
  }

  init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    switch try reader.integer() {
    case 0: self = .file(keeping: KeptMetadata(rawValue: try reader.integer()), turns: try reader.flag())
    case 1:
      guard let policy = MetadataPolicy(rawValue: try reader.text()) else { throw FieldReader.Damage() }
      self = .blocks(
        policy: policy, size: try PixelSize(from: &reader), colorSpace: try ColorSpaceTag(from: &reader),
        resolution: try reader.optional { (reader) throws(FieldReader.Damage) in
          try ImageResolution(from: &reader)
        }, isTurned: try reader.flag())
    default: throw FieldReader.Damage()
    }
  }
}

extension MetadataRewriting.Outcome {
  /// Why the outcome is impossible, in words; `nil` if it is possible.
  ///
  /// - Parameter type: the format of the file.
  func flaw(of task: MetadataRewriting, for type: ImageType) -> String? {
    switch task {
    case .file: return ContentKind(sniffing: file) == .image(type) ? nil : "a file of another format"
    case .blocks:
      // The tables of EXIF data that are written again may make them larger.
      let isTooLarge = [blocks.exif, blocks.xmp, blocks.colorProfile].compactMap(\.self).contains {
        $0.count > 2 * ImageMetadata.largestBlock
      }
      return isTooLarge ? "a block that is too large" : nil
    }
  }

  func write(to writer: inout FieldWriter) {
    writer.append(file)
    writer.append(blocks.exif) { $0.append($1) }
    writer.append(blocks.xmp) { $0.append($1) }
    writer.append(blocks.colorProfile) { $0.append($1) }
    writer.append(blocks.resolution) { $1.write(to: &$0) }
    writer.append(notes: dropped)
    writer.append(notes: notes)
  }

  init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    self.init()
    file = try reader.data()
    blocks.exif = try reader.optionalData()
    blocks.xmp = try reader.optionalData()
    blocks.colorProfile = try reader.optionalData()
    blocks.resolution = try reader.optional { (reader) throws(FieldReader.Damage) in
      try ImageResolution(from: &reader)
    }
    dropped = try reader.notes()
    notes = try reader.notes()
  }
}

extension ImageResolution {
  func write(to writer: inout FieldWriter) {
    writer.append(horizontal)
    writer.append(vertical)
  }

  /// Reads a value of `write`. The numbers are not checked.
  init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    self.init(horizontal: try reader.number(), vertical: try reader.number())
  }
}

extension ColorSpaceTag {
  func write(to writer: inout FieldWriter) {
    switch self {
    case .sRGB: writer.append(0)
    case .icc(let name):
      writer.append(1)
      writer.append(name)
    case .encoded(let name):
      writer.append(2)
      writer.append(name)
    case .coded(let primaries, let transfer):
      writer.append(3)
      writer.append(primaries)
      writer.append(transfer)
    }
  }

  init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    switch try reader.integer() {
    case 0: self = .sRGB
    case 1: self = .icc(name: try reader.text())
    case 2: self = .encoded(name: try reader.text())
    case 3: self = .coded(primaries: try reader.integer(), transfer: try reader.integer())
    default: throw FieldReader.Damage()
    }
  }
}
