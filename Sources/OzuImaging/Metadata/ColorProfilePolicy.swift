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
