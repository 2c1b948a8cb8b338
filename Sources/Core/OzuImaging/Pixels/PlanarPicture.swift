/// A picture whose components are in separate planes. Decoders that can return more than pixels pass it to the
/// resampler.
package struct PlanarPicture {
  /// The meaning of the planes.
  package enum Content: Hashable, Sendable {
    /// Luma alone.
    case gray(YCbCrEncoding)
    /// Luma, blue difference, red difference; the last two have equal sizes and may be coarser than luma.
    case yCbCr(YCbCrEncoding)
    /// Blue, green, red of opaque pixels.
    case opaqueColors
    /// Blue, green, red and alpha, premultiplied.
    case premultipliedColors
    /// Amounts of blue, green and red light (see `ResamplingLight.linear`), premultiplied by alpha if there is any.
    case light(isOpaque: Bool)

    var isOpaque: Bool { self != .premultipliedColors && self != .light(isOpaque: false) }
  }

  /// The meaning of the planes.
  package let content: Content
  /// The planes, in the order of `content`.
  package let planes: [SamplePlane]

  /// Makes a picture of luma and chroma; without chroma it is grey.
  package init(
    luma: SamplePlane, chroma: (blue: SamplePlane, red: SamplePlane)? = nil, encoding: YCbCrEncoding = .jfif
  ) {
    content = chroma == nil ? .gray(encoding) : .yCbCr(encoding)
    planes = [luma] + (chroma.map { [$0.blue, $0.red] } ?? [])
  }

  /// Makes a picture of colours; without alpha it is opaque.
  package init(blue: SamplePlane, green: SamplePlane, red: SamplePlane, alpha: SamplePlane? = nil) {
    content = alpha == nil ? .opaqueColors : .premultipliedColors
    planes = [blue, green, red] + (alpha.map { [$0] } ?? [])
  }
}
