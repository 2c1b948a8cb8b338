/// The kinds of blocks that an encoder can write.
public struct MetadataKinds: OptionSet, Hashable, Sendable {
  /// A bit for each kind.
  public let rawValue: Int

  /// Makes a set.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// EXIF data.
  public static let exif = MetadataKinds(rawValue: 1)
  /// An XMP packet.
  public static let xmp = MetadataKinds(rawValue: 2)
  /// An ICC profile.
  public static let colorProfile = MetadataKinds(rawValue: 4)
  /// Dots per inch.
  public static let resolution = MetadataKinds(rawValue: 8)
  /// All of them.
  public static let all: MetadataKinds = [.exif, .xmp, .colorProfile, .resolution]
}
