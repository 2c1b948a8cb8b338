/// Why two pictures cannot be compared.
public enum ImageComparisonError: Error, Hashable, Sendable {
  /// They have different sizes.
  case differentSizes(PixelSize, PixelSize)
  /// They have different colour spaces. Decoders convert to sRGB by default.
  case differentColors(ColorSpaceTag, ColorSpaceTag)
  /// Their values are of high dynamic range, for which the measures are not made. `Bitmap.toneMapped()` converts them.
  case highDynamicRange
  /// A side is shorter than `SSIMULACRA2.leastSide`.
  case tooSmall(PixelSize)
  /// The comparison would cost more than is allowed.
  case limitExceeded(DecodingLimits.Violation)

  /// Checks that two pictures have comparable pixels.
  static func check(_ a: Bitmap, _ b: Bitmap) throws(ImageComparisonError) {
    guard a.size == b.size else { throw .differentSizes(a.size, b.size) }
    guard a.colorSpace == b.colorSpace else { throw .differentColors(a.colorSpace, b.colorSpace) }
    if case .coded(let primaries, let transfer) = a.colorSpace,
      HighDynamicRange(primaries: primaries, transfer: transfer) != nil
    {
      throw .highDynamicRange
    }
  }
}

extension ImageComparisonError: CustomStringConvertible {
  /// The error in one line, to show to people.
  public var description: String {
    switch self {
    case .differentSizes(let a, let b): "pictures of \(a) and \(b) pixels cannot be compared"
    case .differentColors: "pictures in different colour spaces cannot be compared"
    case .highDynamicRange: "colours of high dynamic range cannot be compared"
    case .tooSmall(let size):
      "a picture of \(size) is too small: a side has at least \(SSIMULACRA2.leastSide) pixels"
    case .limitExceeded(let violation): "refused: \(violation)"
    }
  }
}
