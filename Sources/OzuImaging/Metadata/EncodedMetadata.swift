#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The blocks that an encoder writes beside the pixels, as they are.
///
/// `ImageMetadata.encoded(policy:size:colorSpace:resolution:notes:)` of the module `OzuCodecs` makes them of what a file had.
/// Who makes them in another way sees to it that they are true of the pixels that are written: upright, and of this size.
public struct EncodedMetadata: Hashable, Sendable {
  /// EXIF data from their byte-order mark on.
  public var exif: Data?
  /// An XMP packet in UTF-8.
  public var xmp: Data?
  /// The ICC profile of the pixels that are written, which is one for red, green and blue; `nil` (the default) for sRGB.
  public var colorProfile: Data?
  /// Dots per inch. Formats without a field of their own for it get EXIF data with it, unless there are some.
  public var resolution: ImageResolution?
  /// How bright a picture of high dynamic range is; `nil` (the default) for what is not to be said. PNG, AVIF and JPEG XL have a place
  /// for it, the last one for the greatest light alone.
  public var lightLevels: LightLevels?

  /// Makes a set of blocks; none by default.
  public init(
    exif: Data? = nil, xmp: Data? = nil, colorProfile: Data? = nil, resolution: ImageResolution? = nil,
    lightLevels: LightLevels? = nil
  ) {
    self.exif = exif
    self.xmp = xmp
    self.colorProfile = colorProfile
    self.resolution = resolution
    self.lightLevels = lightLevels
  }

  /// Makes sure that the profile begins as one for red, green and blue does. Libraries take any bytes for a profile.
  ///
  /// - Throws: `failed`.
  package func checkProfile(for type: ImageType) throws(EncodingError) {
    guard let colorProfile, !ICCProfile(name: nil, data: colorProfile).isForRGB else { return }
    throw .failed(type, reason: "the colour profile is not one for red, green and blue")
  }

  /// Whether there is nothing to write.
  public var isEmpty: Bool { self == EncodedMetadata() }
}
