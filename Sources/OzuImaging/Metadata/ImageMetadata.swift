#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The blocks that a file holds beside its pixels, as they stand there: for those who write the picture again.
///
/// Nothing in them is checked but their size. `ImageHeader` has what people ask of them.
public struct ImageMetadata: Hashable, Sendable {
  /// The EXIF data, from the byte-order mark of their TIFF header on (CIPA DC-008 §4.5). They still say how the stored
  /// picture has to be turned, and may hold a place and a thumbnail.
  public var exif: Data?
  /// The XMP packet (ISO 16684-1), mostly UTF-8.
  public var xmp: Data?
  /// The ICC profile that the stored colours are meant by.
  public var colorProfile: ICCProfile?
  /// How many pixels the file wants to an inch of paper.
  public var resolution: ImageResolution?
  /// What was left out, and why.
  public var notes: [String]

  /// The most bytes that a block may have; a larger one is left out, with a note.
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
