import OzuImaging

/// Reads what people ask of EXIF data: when, with which camera, and whether there is a thumbnail (CIPA DC-008 §4.6).
///
/// Three directories are looked at, each once: the first, the one of EXIF's own that it names, and the second, of
/// the thumbnail. Whatever is wrong is left out.
package enum EXIFMetadata {
  private enum Tag {
    static let make = 0x010F
    static let model = 0x0110
    static let date = 0x0132
    static let thumbnail = 0x0201
    static let captureDate = 0x9003
  }

  /// What there is to say of the picture.
  ///
  /// - Parameter bytes: from the byte-order mark on; an `Exif\0\0` before it is stepped over.
  /// - Returns: `nil` when there is nothing to say.
  package static func find(in bytes: Span<UInt8>) -> PictureMetadata? {
    guard let directories = EXIFDirectories(bytes) else { return nil }
    let first = directories.first
    var details: String?
    if let own = directories.integer(EXIFTag.details, first, bytes) {
      details = directories.text(Tag.captureDate, directories.start + own, bytes)
    }
    var metadata = PictureMetadata(captureDate: details ?? directories.text(Tag.date, first, bytes))
    let make = directories.text(Tag.make, first, bytes)
    let model = directories.text(Tag.model, first, bytes)
    if let make, let model {
      // Many makers repeat their name in that of the model.
      metadata.camera = model.hasPrefix(make) ? model : "\(make) \(model)"
    } else {
      metadata.camera = model ?? make
    }
    if let second = directories.second(bytes) {
      metadata.hasThumbnail = directories.entry(Tag.thumbnail, second, bytes) != nil
    }
    return metadata == PictureMetadata() ? nil : metadata
  }

  /// How many pixels the picture wants to an inch of paper; `nil` when there is no such entry, or one without a unit.
  ///
  /// - Parameter bytes: as for `find`.
  package static func dotsPerInch(in bytes: Span<UInt8>) -> Double? { resolution(in: bytes)?.horizontal }

  /// The same on both sides, that of the height being the one of the width where it is missing.
  ///
  /// - Parameter bytes: as for `find`.
  package static func resolution(in bytes: Span<UInt8>) -> ImageResolution? {
    guard let directories = EXIFDirectories(bytes),
      let horizontal = directories.rational(EXIFTag.horizontalResolution, directories.first, bytes),
      horizontal > 0
    else { return nil }
    let vertical = directories.rational(EXIFTag.verticalResolution, directories.first, bytes) ?? 0
    // Inches are what is meant where nothing is said.
    let units = [2: 1, 3: 2.54]
    guard let unit = units[directories.integer(EXIFTag.resolutionUnit, directories.first, bytes) ?? 2] else {
      return nil
    }
    return ImageResolution(
      horizontal: horizontal * unit, vertical: (vertical > 0 ? vertical : horizontal) * unit)
  }
}
