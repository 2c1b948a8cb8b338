/// What the colour values of a bitmap mean.
public enum ColorSpaceTag: Hashable, Sendable {
  /// IEC 61966-2-1 sRGB; also assumed of pictures that do not say.
  case sRGB
  /// The values are as stored, under the embedded ICC profile of this name.
  case icc(name: String)
  /// The values are as stored, under an encoding without a profile: primaries and a transfer function.
  case encoded(name: String)
  /// The values are as stored, under colour primaries and a transfer function by their numbers in ITU-T H.273.
  case coded(primaries: Int, transfer: Int)
}
