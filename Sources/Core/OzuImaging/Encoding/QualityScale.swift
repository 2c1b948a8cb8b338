/// The parameters of codecs that look alike: one quality has about the same look in every format.
///
/// The scale of `EncodingOptions.compressionQuality` is that of JPEG. The other codecs have scales of their own, on which the
/// same number looks different: libavif's 60 looks like JPEG's 83, and libwebp's 60 like its 55. The tables translate.
///
/// They were measured by `Benchmarks/quality.py`: at each knot the parameter has the SSIMULACRA2 of JPEG in the mean of 37
/// photographs and 20 drawn pictures of 440 pixels; it is raised until neither kind has 2 points less than JPEG, and then lowered
/// until AVIF has fewer bytes than WebP, and WebP than JPEG, in the geometric mean of either kind. `Benchmarks/README.md` has
/// the looks and the bytes.
public enum QualityScale {
  /// The formats whose files have a quality, unless they are lossless.
  package static let types: Set<ImageType> = [.jpeg, .webp, .avif, .jxl, .heic]

  /// The qualities at which the tables have values. From 0.9 on JPEG keeps all chroma
  /// (`ChromaSubsampling.automatic`), so there is a step before it.
  private static let knots = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.89, 0.9, 0.95, 1]
  /// libwebp's quality, divided by 100.
  private static let webp = [
    0, 0.041, 0.158, 0.307, 0.427, 0.54, 0.655, 0.75, 0.83, 0.875, 0.912, 0.975, 0.999, 1,
  ]
  /// 1 for libavif's quantizer 0, and 0 for 63.
  private static let avif = [
    0, 0.106, 0.245, 0.34, 0.388, 0.432, 0.466, 0.513, 0.575, 0.615, 0.661, 0.806, 0.906, 1,
  ]
  /// The quality of libjxl's tools, divided by 100; a distance follows from it.
  private static let jxl = [
    0, 0.05, 0.172, 0.293, 0.407, 0.521, 0.578, 0.645, 0.737, 0.785, 0.826, 0.904, 0.954, 1,
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
