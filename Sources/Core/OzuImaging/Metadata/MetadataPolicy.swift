/// The treatment of the metadata of a file when its picture is written again.
///
/// Under every policy a written EXIF block says that the picture is upright, as its pixels are, and has no
/// thumbnail, because that would show what was cropped.
public enum MetadataPolicy: String, Hashable, Sendable, CaseIterable {
  /// Nothing is written.
  case strip
  /// An EXIF block with the artist and the copyright alone, from whichever of EXIF data, XMP and IPTC-IIM states them.
  case keepCopyright
  /// EXIF data without the place where the picture was taken, and the resolution. An artist and a copyright that only XMP or
  /// IPTC-IIM state are written there too.
  ///
  /// Beside the GPS directory, these are left out: the maker note, in which some cameras repeat the place in their
  /// own format, and all of XMP, which may contain the place under any name. Texts that people wrote are kept,
  /// whatever they contain.
  case keepWithoutPlace
  /// EXIF data, XMP and the resolution, and the names as under `keepWithoutPlace`.
  case keepAll
}

/// The treatment of the colours of a file with an ICC profile when its picture is written again.
public enum ColorProfilePolicy: String, Hashable, Sendable, CaseIterable {
  /// They are converted to sRGB, which every reader assumes for a file without a profile.
  case convert
  /// They stay as they are, and the profile is written into the file.
  ///
  /// Only for pictures in red, green and blue with an ICC profile. Grey, CMYK and colours that are described
  /// without a profile are still converted.
  case embed
  /// They stay as they are, with all bits of the file, and the written file describes them: by the profile, or by
  /// the numbers of ITU-T H.273, as in pictures of high dynamic range (PQ, HLG).
  ///
  /// PNG, AVIF and JPEG XL can store both. For a format without either, the picture is converted.
  case keep

  /// The colour policy to decode the picture with.
  public var colorPolicy: ColorPolicy {
    switch self {
    case .convert: .convertToSRGB
    case .embed: .keepProfile
    case .keep: .keepForFile
    }
  }
}

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
