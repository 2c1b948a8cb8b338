/// Maps colours of wide primaries into sRGB: smoothly, and keeping luminance and dominant wavelength.
///
/// In linear light a colour lies on the line from the grey of its luminance through itself. That line leaves the
/// gamut of sRGB at one distance from grey, and the gamut of the source at a greater distance. Colours up to 0.8 of
/// the first distance (the knee) stay as they are. Colours from there to the second distance are mapped between the
/// knee and the edge by a Möbius curve with a slope of 1 at the knee, so different colours stay different, where
/// clipping would make them equal.
///
/// A gamut is a cube. Where neighbouring lines leave it through different faces, the distance has a crease, which
/// is visible in smooth areas. So the distance to the edge is computed as the eighth root of the sum of the eighth
/// powers of the distances to all faces, which is smooth. The value is up to 1.15 at an edge of the cube: colours
/// near two or three faces are moved further in, and none stays outside.
///
/// This is the desaturation at constant luminance of ITU-R BT.2407 §5, with a curve instead of its clipping. OKLab
/// and similar spaces keep hues inside sRGB better, but they were fitted to such colours: they would turn the blue
/// of BT.2020 into teal.
///
/// The input is linear light from 0 to 1 with the source's primaries, as tone mapping produces it.
struct GamutMapping: Sendable {
  /// The fraction of the distance from grey to the edge of sRGB up to which colours stay as they are.
  static let knee: Float = 0.8
  /// The greatest value of the smooth distance in a cube: at a corner, where three faces meet.
  private static let corner: Float = 1.147_203

  /// The matrix from the source's primaries to those of sRGB, as columns.
  private let toSRGB: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
  /// The contributions of the source's red, green and blue to the luminance of white.
  private let luminance: SIMD4<Float>
  /// Whether both have the same primaries.
  let isIdentity: Bool

  /// `nil` for primaries that cannot be converted. White points are not adapted: BT.2100 and sRGB have the same.
  init?(_ source: Chromaticities) {
    guard let from = source.toXYZ, let back = Chromaticities.sRGB.toXYZ?.inverse else { return nil }
    isIdentity = source == .sRGB
    let matrix = back * from
    func column(_ vector: SIMD3<Double>) -> SIMD4<Float> { SIMD4(SIMD4<Double>(vector, 0)) }
    toSRGB = (column(matrix.red), column(matrix.green), column(matrix.blue))
    luminance = SIMD4(Float(from.red.y), Float(from.green.y), Float(from.blue.y), 0)
  }

  /// The colour in linear light of sRGB, 0 to 1. The fourth number is ignored.
  @inline(__always)
  func callAsFunction(_ source: SIMD4<Float>) -> SIMD4<Float> {
    let color = toSRGB.0 * source.x + toSRGB.1 * source.y + toSRGB.2 * source.z
    if isIdentity { return color.limited(to: .one) }
    let gray = (source * luminance).sum()
    // The distance of the colour from grey, where 1 is the edge of sRGB.
    let part = Self.reach(color, from: gray)
    guard part > Self.knee else { return color.limited(to: .one) }
    // The same for the edge of the source's gamut on this line.
    let most = max(part / Self.reach(source, from: gray), 1) * Self.corner
    let end = (most - Self.knee) / (1 - Self.knee)
    let x = (part - Self.knee) / (1 - Self.knee)
    let kept = Self.knee + (1 - Self.knee) * min(1, x / (1 + x * (end - 1) / end))
    let result = gray + (color - gray) * (kept / part)
    return result.limited(to: .one)
  }

  /// The distance of a colour from a grey, where 1 is the edge of the cube from 0 to 1.
  @inline(__always)
  private static func reach(_ color: SIMD4<Float>, from gray: Float) -> Float {
    // For any colour other than black and white, grey is above 0 and below 1.
    let way = color - gray
    let (up, down) = (way * (1 / max(1 - gray, 1e-9)), way * (-1 / max(gray, 1e-9)))
    var powers = up.replacing(with: down, where: down .> up)
    powers.w = 0
    powers *= powers
    powers *= powers
    powers *= powers
    return powers.sum().squareRoot().squareRoot().squareRoot()
  }
}
