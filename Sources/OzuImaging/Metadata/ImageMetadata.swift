#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The metadata blocks of a file, as stored: for writing the picture again.
///
/// Only their size is checked. `ImageHeader` has the facts that people want to know.
public struct ImageMetadata: Hashable, Sendable {
  /// The EXIF data, beginning with the byte-order mark of their TIFF header (CIPA DC-008 §4.5). They still contain
  /// the stored orientation, and perhaps a place and a thumbnail.
  public var exif: Data?
  /// The XMP packet (ISO 16684-1), usually UTF-8.
  public var xmp: Data?
  /// The ICC profile of the stored colours.
  public var colorProfile: ICCProfile?
  /// The print resolution.
  public var resolution: ImageResolution?
  /// Notes about blocks that were left out, and why.
  public var notes: [String]

  /// The most bytes of a block; a larger block is left out, with a note.
  public static let largestBlock = 4 << 20

  /// Makes metadata; without blocks by default.
  public init(
    exif: Data? = nil, xmp: Data? = nil, colorProfile: ICCProfile? = nil, resolution: ImageResolution? = nil,
    notes: [String] = []
  ) {
    self.exif = exif
    self.xmp = xmp
    self.colorProfile = colorProfile
    self.resolution = resolution
    self.notes = notes
  }
}
