/// The colour space of a bitmap's values.
public enum ColorSpaceTag: Hashable, Sendable {
  /// IEC 61966-2-1 sRGB; also assumed if a file declares nothing.
  case sRGB
  /// The values are as stored, under the embedded ICC profile of this name.
  case icc(name: String)
  /// The values are as stored, with an encoding that is no profile: primaries and a transfer function.
  case encoded(name: String)
  /// The values are as stored, with colour primaries and a transfer function by their numbers in ITU-T H.273.
  case coded(primaries: Int, transfer: Int)
}
