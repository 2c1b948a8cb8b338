import OzuBase

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

/// The print resolution of a picture: how many pixels make an inch of paper.
public struct ImageResolution: Hashable, Sendable {
  /// Dots per inch from left to right.
  public var horizontal: Double
  /// Dots per inch from top to bottom.
  public var vertical: Double

  /// Makes a resolution, in dots per inch.
  public init(horizontal: Double, vertical: Double) {
    self.horizontal = horizontal
    self.vertical = vertical
  }

  /// Makes a resolution that is the same on both sides, in dots per inch.
  public init(dotsPerInch: Double) {
    self.init(horizontal: dotsPerInch, vertical: dotsPerInch)
  }

  /// The same of the picture turned by a quarter.
  package var transposed: ImageResolution { ImageResolution(horizontal: vertical, vertical: horizontal) }

  /// The resolution, or `nil` if no format can store it: not a number, below a hundredth or above 65,535 dots per
  /// inch.
  public var valid: ImageResolution? {
    let range = 0.01...65_535
    return range.contains(horizontal) && range.contains(vertical) ? self : nil
  }
}
