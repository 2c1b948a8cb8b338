/// What the colour values of a bitmap mean.
public enum ColorSpaceTag: Hashable, Sendable {
  /// IEC 61966-2-1 sRGB; also assumed of pictures that do not say.
  case sRGB
  /// The values are as stored, under the embedded ICC profile of this name.
  case icc(name: String)
}
