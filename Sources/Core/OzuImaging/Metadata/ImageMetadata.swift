#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The metadata of a file: its blocks as stored, for writing the picture again, and their content as values.
///
/// Only the size of the blocks is checked. `ImageHeader` has a few facts of them, without a second reading of the file.
public struct ImageMetadata: Hashable, Sendable {
  /// The EXIF data, beginning with the byte-order mark of their TIFF header (CIPA DC-008 §4.5). They still contain
  /// the stored orientation, and perhaps a place and a thumbnail.
  public var exif: Data?
  /// The XMP packet (ISO 16684-1), usually UTF-8.
  public var xmp: Data?
  /// The data sets of IPTC-IIM, beginning with the mark of the first. They are read, and never written.
  public var iptc: Data?
  /// The ICC profile of the stored colours.
  public var colorProfile: ICCProfile?
  /// The print resolution.
  public var resolution: ImageResolution?
  /// Notes about blocks that were left out, and why.
  public var notes: [String]
  /// The content of EXIF data, IPTC-IIM and XMP. Decoders read it with the blocks; a later change of a block does not
  /// change it.
  public var values = MetadataValues()

  /// The most bytes of a block; a larger block is left out, with a note.
  public static let largestBlock = 4 << 20

  /// Makes metadata; without blocks by default.
  public init(
    exif: Data? = nil, xmp: Data? = nil, iptc: Data? = nil, colorProfile: ICCProfile? = nil,
    resolution: ImageResolution? = nil, notes: [String] = []
  ) {
    self.exif = exif
    self.xmp = xmp
    self.iptc = iptc
    self.colorProfile = colorProfile
    self.resolution = resolution
    self.notes = notes
  }
}
