/// A picture whose components lie in planes of their own: what decoders hand to the resampler when they can do
/// better than pixels.
public struct PlanarPicture {
  /// What the planes are.
  public enum Content: Hashable, Sendable {
    /// Luma alone.
    case gray(YCbCrEncoding)
    /// Luma, blue difference, red difference; the latter two of one shape, which may be coarser.
    case yCbCr(YCbCrEncoding)
    /// Blue, green, red of opaque pixels.
    case opaqueColors
    /// Blue, green, red and alpha, colours multiplied by it.
    case premultipliedColors
    /// Amounts of blue, green and red light (see `ResamplingLight.linear`), and alpha that they are multiplied by,
    /// where there is any.
    case light(isOpaque: Bool)

    /// Whether every pixel is opaque.
    var isOpaque: Bool { self != .premultipliedColors && self != .light(isOpaque: false) }
  }

  /// What the planes are.
  public let content: Content
  /// The planes, in the order that `content` names.
  public let planes: [SamplePlane]

  /// Makes a picture of luma and chroma; without chroma it is grey.
  public init(
    luma: SamplePlane, chroma: (blue: SamplePlane, red: SamplePlane)? = nil, encoding: YCbCrEncoding = .jfif
  ) {
    content = chroma == nil ? .gray(encoding) : .yCbCr(encoding)
    planes = [luma] + (chroma.map { [$0.blue, $0.red] } ?? [])
  }

  /// Makes a picture of colours; without alpha it is opaque.
  public init(blue: SamplePlane, green: SamplePlane, red: SamplePlane, alpha: SamplePlane? = nil) {
    content = alpha == nil ? .opaqueColors : .premultipliedColors
    planes = [blue, green, red] + (alpha.map { [$0] } ?? [])
  }

  /// Whether every pixel is opaque.
  public var isOpaque: Bool { content.isOpaque }
}
