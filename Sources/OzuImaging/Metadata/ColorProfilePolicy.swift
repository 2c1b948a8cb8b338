/// What becomes of the colours of a file with an ICC profile when its picture is written again.
public enum ColorProfilePolicy: String, Hashable, Sendable, CaseIterable {
  /// They are converted to sRGB, which every reader assumes of a file without a profile.
  case convert
  /// They stay as they are, and the profile is written into the file.
  ///
  /// Of pictures in red, green and blue with an ICC profile. Grey, inks and colours that are described in another way are
  /// converted all the same.
  case embed
  /// They stay as they are, with all the bits that the file has, and the file says what they mean: by the profile, or by
  /// the numbers of ITU-T H.273, as pictures of high dynamic range (PQ, HLG) have them.
  ///
  /// PNG, AVIF and JPEG XL have a place for both. A format without one gets the picture converted.
  case keep

  /// How the picture has to be decoded for that.
  public var colorPolicy: ColorPolicy {
    switch self {
    case .convert: .convertToSRGB
    case .embed: .keepProfile
    case .keep: .keepForFile
    }
  }
}
