/// The statements of a file about its picture: its EXIF data, IPTC-IIM and XMP, as values.
///
/// Where the three disagree, the guidelines of the Metadata Working Group (version 2.0, chapter 3) decide: EXIF data
/// first, then XMP; IPTC-IIM comes before XMP only if its digest says that it was changed after XMP was written. Numbers
/// that make no sense are left out. The statements may be untrue.
public struct MetadataValues: Hashable, Sendable {
  // MARK: The camera

  /// The maker of the camera.
  public var make: String?
  /// The model of the camera.
  public var model: String?
  /// The model of the lens.
  public var lens: String?
  /// The program, or the version of the camera's own, that wrote the file.
  public var software: String?

  // MARK: Dates

  /// When the picture was taken.
  public var originalDate: MetadataDate?
  /// When it was made into numbers: scanned, or stored by the camera.
  public var digitizedDate: MetadataDate?
  /// When the file was last changed.
  public var modificationDate: MetadataDate?

  // MARK: The exposure

  /// How long the picture was exposed, in seconds.
  public var exposureTime: Double?
  /// The f-number: the focal length divided by the width of the aperture.
  public var fNumber: Double?
  /// The sensitivity by ISO 12232, such as 100.
  public var isoSensitivity: Int?
  /// The focal length, in millimetres.
  public var focalLength: Double?
  /// The focal length with the same angle of view on film of 35 mm, in millimetres.
  public var focalLengthIn35mm: Double?
  /// The state of the flash as bits (CIPA DC-008, tag Flash): 1 for fired; the others tell its mode.
  public var flash: Int?

  // MARK: The place

  /// Degrees north of the equator, -90 to 90.
  public var latitude: Double?
  /// Degrees east of Greenwich, -180 to 180.
  public var longitude: Double?
  /// Metres above the sea.
  public var altitude: Double?

  // MARK: Texts

  /// The people who made the picture; several are separated by `; `.
  public var artist: String?
  /// The holder of the rights.
  public var copyright: String?
  /// The title.
  public var title: String?
  /// The caption.
  public var description: String?
  /// The subjects; none by default.
  public var keywords: [String] = []
  /// Stars, 0 to 5; -1 for a picture that was rejected.
  public var rating: Double?
  /// The stored orientation. `ImageHeader.orientation` is the one that is applied.
  public var orientation: Orientation?

  /// Everything else that was understood, in the order of the file; at most `mostTags`.
  public var otherTags: [MetadataTag] = []

  /// The most bytes of a text, in UTF-8; longer ones are cut.
  public static let longestText = 4096
  /// The most keywords, and the most other tags; further ones are left out.
  public static let mostTags = 1000

  /// Makes values; none by default.
  public init() {}

  /// Whether the flash fired; `nil` if the file does not say.
  public var flashFired: Bool? { flash.map { $0 & 1 != 0 } }
}

/// A statement that `MetadataValues` has no property for.
public struct MetadataTag: Hashable, Sendable {
  /// The part of the file that has it.
  public enum Group: String, Hashable, Sendable, CaseIterable {
    /// EXIF data, except for the place.
    case exif
    /// The directory of EXIF data about the place: latitude, direction, satellites.
    case gps
    /// IPTC-IIM.
    case iptc
    /// XMP.
    case xmp
  }

  /// The part of the file that has it.
  public var group: Group
  /// Its name in the standard; a hexadecimal number for an unknown tag of EXIF data, `2:150` for one of IPTC-IIM, a path
  /// like `xmpMM:History/stEvt:action` for XMP.
  public var name: String
  /// The value as text. Several are separated by a comma.
  public var value: String

  /// Makes a tag.
  public init(group: Group, name: String, value: String) {
    self.group = group
    self.name = name
    self.value = value
  }
}

extension MetadataValues {
  /// Why the values are impossible, in words; `nil` if they are possible. Another process may have made them.
  package var flaw: String? {
    let texts =
      [make, model, lens, software, artist, copyright, title, description].compactMap(\.self) + keywords
      + otherTags.flatMap { [$0.name, $0.value] }
    if texts.contains(where: { $0.utf8.count > Self.longestText }) { return "a long text in its metadata" }
    if keywords.count > Self.mostTags || otherTags.count > Self.mostTags { return "too many tags" }
    let numbers = [exposureTime, fNumber, focalLength, focalLengthIn35mm, isoSensitivity.map(Double.init)]
    let positive = numbers.compactMap(\.self).first { !($0 > 0 && $0.isFinite) }
    if let positive { return "an exposure with the number \(positive)" }
    if latitude.map({ -90...90 ~= $0 }) == false || longitude.map({ -180...180 ~= $0 }) == false
      || altitude?.isFinite == false || rating?.isFinite == false
    {
      return "a place or a rating that is no number"
    }
    return nil
  }
}
