/// What becomes of the colours of a file with an ICC profile when its picture is written again.
public enum ColorProfilePolicy: String, Hashable, Sendable, CaseIterable {
  /// They are converted to sRGB, which every reader assumes of a file without a profile.
  case convert
  /// They stay as they are, and the profile is written into the file.
  ///
  /// Of pictures in red, green and blue with an ICC profile. Grey, inks and colours that are described in another way are
  /// converted all the same.
  case embed

  /// How the picture has to be decoded for that.
  public var colorPolicy: ColorPolicy { self == .convert ? .convertToSRGB : .keepProfile }
}
