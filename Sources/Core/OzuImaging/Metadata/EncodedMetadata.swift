import OzuBase

/// The blocks that an encoder writes beside the pixels, unchanged.
///
/// `ImageMetadata.encoded(policy:size:colorSpace:resolution:notes:)` of the module `OzuCodecs` makes them from the
/// metadata of a file. If you make them in another way, they must fit the pixels that are written: upright, and of
/// this size.
public struct EncodedMetadata: Hashable, Sendable {
  /// EXIF data, beginning with the byte-order mark.
  public var exif: Data?
  /// An XMP packet in UTF-8.
  public var xmp: Data?
  /// The ICC profile of the written pixels, which must be one for red, green and blue; `nil` (the default) for
  /// sRGB.
  public var colorProfile: Data?
  /// Dots per inch. In formats without a field for it, it is written as EXIF data, unless `exif` is set.
  public var resolution: ImageResolution?
  /// How bright a picture of high dynamic range is; `nil` (the default) writes nothing. PNG, AVIF and JPEG XL can
  /// store it, JPEG XL only the greatest light.
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

  /// Checks that the profile begins like one for red, green and blue. Libraries accept any bytes as a profile.
  ///
  /// - Throws: `failed`.
  package func checkProfile(for type: ImageType) throws(ImageEncodingError) {
    guard let colorProfile, !ICCProfile(name: nil, data: colorProfile).isForRGB else { return }
    throw .failed(type, reason: "the colour profile is not one for red, green and blue")
  }

  /// Whether there is nothing to write.
  public var isEmpty: Bool { self == EncodedMetadata() }
}
