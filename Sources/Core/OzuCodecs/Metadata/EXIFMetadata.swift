import OzuBase
import OzuImaging

/// Reads the facts in EXIF data that people want to know: the date, the camera and the lens, the exposure, and
/// whether there are a thumbnail and a place (CIPA DC-008 §4.6).
///
/// It reads three directories: the first, the EXIF directory that the first refers to, and the second, which
/// describes the thumbnail. In the GPS directory it only looks whether there is a latitude. Broken values are left
/// out.
package enum EXIFMetadata {
  private enum Tag {
    static let make = 0x010F
    static let model = 0x0110
    static let date = 0x0132
    static let exposureTime = 0x829A
    static let fNumber = 0x829D
    static let recommendedExposureIndex = 0x8832
    static let captureDate = 0x9003
    static let focalLength = 0x920A
    static let lens = 0xA434
    static let latitude = 0x0002
  }

  /// The facts about the picture.
  ///
  /// - Parameter bytes: beginning with the byte-order mark; an `Exif\0\0` before it is skipped.
  /// - Returns: `nil` if there are none.
  package static func find(in bytes: Span<UInt8>) -> PictureMetadata? {
    guard let directories = TIFFLayout(exif: bytes) else { return nil }
    let first = directories.first
    var metadata = PictureMetadata()
    let details = directories.integer(EXIFTag.details, first, bytes).map { directories.start + $0 }
    // TIFF/EP (ISO 12234-2) has these facts in the first directory.
    func fact<Value>(_ read: (Int) -> Value?) -> Value? { details.flatMap(read) ?? read(first) }
    // Zero means "unknown".
    func positive(_ tag: Int) -> Double? {
      fact { directory in directories.rational(tag, directory, bytes).flatMap { $0 > 0 ? $0 : nil } }
    }
    // A text that is no date is one that nobody set: zeros, or spaces between colons.
    func date(_ text: String?) -> String? { text.flatMap { MetadataDate($0) == nil ? nil : $0 } }
    metadata.captureDate =
      fact { date(directories.text(Tag.captureDate, $0, bytes)) }
      ?? date(directories.text(Tag.date, first, bytes))
    metadata.lens = fact { directories.text(Tag.lens, $0, bytes) }
    func sensitivity(_ tag: Int) -> Int? {
      fact { directories.integer(tag, $0, bytes) }.flatMap { $0 > 0 ? $0 : nil }
    }
    metadata.isoSensitivity = sensitivity(EXIFTag.sensitivity)
    // The largest number of 16 bits means "more": the number is in a newer tag.
    if (metadata.isoSensitivity ?? 65_535) == 65_535 {
      metadata.isoSensitivity = sensitivity(Tag.recommendedExposureIndex) ?? metadata.isoSensitivity
    }
    metadata.exposureTime = positive(Tag.exposureTime)
    metadata.fNumber = positive(Tag.fNumber)
    metadata.focalLength = positive(Tag.focalLength)
    if let place = directories.integer(EXIFTag.place, first, bytes) {
      metadata.hasPlace =
        directories.field(withTag: Tag.latitude, of: directories.start + place, in: bytes) != nil
    }
    let make = directories.text(Tag.make, first, bytes)
    let model = directories.text(Tag.model, first, bytes)
    if let make, let model {
      // Many makers repeat their name in that of the model.
      metadata.camera = model.hasPrefix(make) ? model : "\(make) \(model)"
    } else {
      metadata.camera = model ?? make
    }
    if let second = directories.second(bytes) {
      metadata.hasThumbnail = directories.field(withTag: EXIFTag.thumbnail, of: second, in: bytes) != nil
    }
    return metadata == PictureMetadata() ? nil : metadata
  }

  /// The data sets of IPTC-IIM in the first directory of a TIFF, as they are or among the resources of Photoshop.
  package static func iptc(inTIFF bytes: Span<UInt8>) -> Data? {
    guard let directories = TIFFLayout(exif: bytes) else { return nil }
    func block(_ tag: Int) -> [UInt8]? {
      guard let values = directories.field(withTag: tag, of: directories.first, in: bytes)?.values,
        !values.isEmpty, values.count <= ImageMetadata.largestBlock
      else { return nil }
      return bytes.copy(from: values.lowerBound, byteCount: values.count)
    }
    return block(0x83BB).map { Data($0) }
      ?? block(0x8649).flatMap { PhotoshopResources(ContiguousArray($0).span).iptc }
  }

  /// The print resolution in pixels per inch; `nil` if there is no such entry, one without a unit, or one that no picture has.
  ///
  /// - Parameter bytes: as for `find`.
  package static func dotsPerInch(in bytes: Span<UInt8>) -> Double? {
    resolution(in: bytes)?.valid?.horizontal
  }

  /// The same on both sides. If the vertical resolution is missing, it equals the horizontal one.
  ///
  /// - Parameter bytes: as for `find`.
  package static func resolution(in bytes: Span<UInt8>) -> ImageResolution? {
    guard let directories = TIFFLayout(exif: bytes),
      let horizontal = directories.rational(EXIFTag.horizontalResolution, directories.first, bytes),
      horizontal > 0
    else { return nil }
    let vertical = directories.rational(EXIFTag.verticalResolution, directories.first, bytes) ?? 0
    // Inches are the default unit.
    let units = [2: 1, 3: 2.54]
    guard let unit = units[directories.integer(EXIFTag.resolutionUnit, directories.first, bytes) ?? 2] else {
      return nil
    }
    return ImageResolution(
      horizontal: horizontal * unit, vertical: (vertical > 0 ? vertical : horizontal) * unit)
  }
}

/// Finds the orientation in EXIF data, which have the structure of a TIFF file (CIPA DC-008 §4.5, TIFF 6.0 §2).
///
/// Only the first directory is read: the second describes the thumbnail. No offset in it is followed, so loops of
/// directories are harmless. Broken data mean that there is no orientation.
package enum EXIFOrientation {
  /// The orientation in EXIF data.
  ///
  /// - Parameter bytes: beginning with the byte-order mark; an `Exif\0\0` before it is skipped.
  /// - Returns: `nil` if there is none, or an invalid one.
  package static func find(in bytes: Span<UInt8>) -> Orientation? {
    guard let directories = TIFFLayout(exif: bytes) else { return nil }
    return directories.integer(EXIFTag.orientation, directories.first, bytes)
      .flatMap(Orientation.init(rawValue:))
  }
}

/// Finds the thumbnail in the EXIF data of a JPEG: the second directory has its offset and length (CIPA DC-008
/// §4.5.5). Every access is checked, and no other offset is followed.
package enum EXIFThumbnail {
  package static func range(inJPEG bytes: Span<UInt8>) -> Range<Int>? {
    var found: Range<Int>?
    _ = JPEGMarker.readHead(of: bytes) { marker, segment, place in
      guard marker == 0xE1, segment.hasBytes("Exif\0", at: 0) else { return true }
      found = range(in: segment).map { $0.lowerBound + place..<$0.upperBound + place }
      return false
    }
    return found
  }

  private static func range(in bytes: Span<UInt8>) -> Range<Int>? {
    guard let directories = TIFFLayout(bytes, at: 6), directories.version == 42,
      let second = directories.second(bytes),
      let offset = directories.integer(EXIFTag.thumbnail, second, bytes).flatMap(directories.position),
      let length = directories.integer(EXIFTag.thumbnailByteCount, second, bytes), length > 0,
      offset <= bytes.count, length <= bytes.count - offset
    else { return nil }
    return offset..<offset + length
  }
}

/// The values of EXIF data, whose directories are those of a TIFF file (TIFF 6.0 §2).
extension TIFFLayout {
  private static let longestText = 64

  /// `nil` if the bytes do not begin like TIFF, or like BigTIFF without a name before it: a file, whose offsets have eight bytes.
  ///
  /// - Parameter bytes: beginning with the byte-order mark; an `Exif\0\0` before it is skipped.
  init?(exif bytes: Span<UInt8>) {
    self.init(bytes, at: bytes.hasBytes("Exif", at: 0) ? 6 : 0)
    guard version == 42 || version == Self.bigVersion && start == 0 else { return nil }
  }

  var order: EXIFByteOrder { isLittleEndian ? .littleEndian : .bigEndian }

  /// The offset of the directory after the first; `nil` if there is none.
  func second(_ bytes: Span<UInt8>) -> Int? {
    fieldCount(of: first, in: bytes).flatMap { next(after: first, fieldCount: $0, in: bytes) }
  }

  /// An integer that is stored in its field, whatever the number of values: the first one. Some writers use another type
  /// than the standard says; 13 is that of an offset of a directory (TIFF Technical Note 1), 16 and 18 are those of BigTIFF.
  func integer(_ tag: Int, _ directory: Int, _ bytes: Span<UInt8>) -> Int? {
    guard let field = field(withTag: tag, of: directory, in: bytes),
      [1, 3, 4, 13, 16, 18].contains(field.type)
    else { return nil }
    return number(bytes, at: field.inline, byteCount: Self.width(ofType: field.type) ?? 8)
  }

  func rational(_ tag: Int, _ directory: Int, _ bytes: Span<UInt8>) -> Double? {
    guard let field = field(withTag: tag, of: directory, in: bytes), field.type == 5, field.values.count >= 8,
      let numerator = number(bytes, at: field.position, byteCount: 4),
      let denominator = number(bytes, at: field.position + 4, byteCount: 4), denominator > 0
    else { return nil }
    return Double(numerator) / Double(denominator)
  }

  /// A text, cut after 64 bytes; `nil` if it is empty.
  func text(_ tag: Int, _ directory: Int, _ bytes: Span<UInt8>) -> String? {
    guard let field = field(withTag: tag, of: directory, in: bytes), field.type == 2 else { return nil }
    let characters = bytes.copy(from: field.position, byteCount: min(field.count, Self.longestText))
    var text = characters.prefix { $0 != 0 }
    // The cut may be inside a character of UTF-8.
    if text.count < field.count, text.count == Self.longestText {
      while let last = text.last, last & 0xC0 == 0x80 { text.removeLast() }
      if let last = text.last, last >= 0xC0 { text.removeLast() }
    }
    return MetadataText.read(text)
  }
}
