/// The parameters of codecs that look alike: one quality has about the same look in every format.
///
/// The scale of `EncodingOptions.compressionQuality` is that of JPEG. The other codecs have scales of their own, on which the
/// same number looks different: libavif's 60 looks like JPEG's 81, and libwebp's 60 like its 63. The tables translate.
///
/// They were measured by `Benchmarks/quality.py`: at each knot the parameter has the SSIMULACRA2 of JPEG in the mean of 32
/// photographs and 20 drawn pictures of 320 pixels, and is then lowered until AVIF has fewer bytes than WebP, and WebP than
/// JPEG, in the geometric mean of either kind. `Benchmarks/README.md` has the looks and the bytes.
public enum QualityScale {
  /// The formats whose files have a quality, unless they are lossless.
  package static let types: Set<ImageType> = [.jpeg, .webp, .avif, .jxl, .heic]

  /// The qualities at which the tables have values. From 0.9 on, `ChromaSubsampling.automatic` keeps all chroma, so there
  /// is a step before it.
  private static let knots = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.89, 0.9, 0.95, 1]
  /// libwebp's quality, divided by 100.
  private static let webp = [
    0, 0.052, 0.16, 0.295, 0.392, 0.485, 0.562, 0.67, 0.77, 0.809, 0.844, 0.965, 0.999, 1,
  ]
  /// 1 for libavif's quantizer 0, and 0 for 63.
  private static let avif = [
    0, 0.117, 0.278, 0.367, 0.42, 0.46, 0.491, 0.534, 0.589, 0.642, 0.702, 0.703, 0.839, 1,
  ]
  /// The quality of libjxl's tools, divided by 100; a distance follows from it.
  private static let jxl = [
    0, 0.071, 0.209, 0.335, 0.461, 0.547, 0.606, 0.678, 0.763, 0.804, 0.84, 0.941, 0.966, 1,
  ]

  /// The parameter of a codec for a quality.
  ///
  /// It rises with the quality, from 0 at 0, the codec's lowest, to 1 at 1, its highest. Between the knots it is linear.
  ///
  /// - Parameters:
  ///   - type: the format; one without a table has the scale of JPEG.
  ///   - quality: from 0 to 1; other values count as the nearest of the two, and NaN as 0.
  /// - Returns: a number from 0 to 1 on the codec's own scale.
  public static func parameter(of type: ImageType, at quality: Double) -> Double {
    let quality = quality.isNaN ? 0 : min(max(quality, 0), 1)
    let table: [Double]
    switch type {
    case .webp: table = webp
    case .avif: table = avif
    case .jxl: table = jxl
    default: return quality
    }
    // The last knot is 1, so there is one that is not less.
    guard let upper = knots.firstIndex(where: { $0 >= quality }), upper > 0 else { return table[0] }
    let share = (quality - knots[upper - 1]) / (knots[upper] - knots[upper - 1])
    return table[upper - 1] + share * (table[upper] - table[upper - 1])
  }
}
