/// From the colours of wide primaries into those of sRGB: smoothly, and with luminance and dominant wavelength kept.
///
/// In linear light a colour lies on the line from the grey of its luminance through itself. That line leaves the gamut of sRGB at
/// one distance from grey and that of the source at a greater one. Up to a knee of 0.8 of the former colours stay. What
/// lies above, up to the latter, is laid between the knee and the edge by a Möbius curve that has a slope of 1 at the knee:
/// neighbouring colours stay apart, where clipping would make them one.
///
/// A gamut is a cube. Where lines begin to leave it by another face, their distance has a crease, which is seen as a line in
/// smooth areas. So distances are the eighth root of the sum of eighth powers of those to all faces, which is smooth. It says
/// up to 1.15 at an edge of the cube: colours near two or three faces are taken further in, and none is left outside.
///
/// This is the desaturation at constant luminance of ITU-R BT.2407 §5, with a curve in place of its cut. OKLab and its like keep
/// hues of colours in sRGB better, but were fitted to those: blue of BT.2020 would become teal by them.
///
/// Works on linear light of 0 to 1 of the source's primaries, which is what tone mapping gives.
struct GamutMapping: Sendable {
  /// The part of the way from grey to the edge of sRGB, up to which colours stay as they are.
  static let knee: Float = 0.8
  /// The greatest distance in a cube, at a corner of three faces.
  private static let corner: Float = 1.147_203

  /// From the source's primaries to those of sRGB, as columns.
  private let toSRGB: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
  /// What red, green and blue of the source have of the luminance of white.
  private let luminance: SIMD4<Float>
  /// Whether both have the same primaries.
  let isIdentity: Bool

  /// `nil` for primaries from which there is no way. Whites are not adapted: that of BT.2100 is that of sRGB.
  init?(_ source: Chromaticities) {
    guard let from = source.toXYZ, let back = Chromaticities.sRGB.toXYZ?.inverse else { return nil }
    isIdentity = source == .sRGB
    let matrix = back * from
    func column(_ vector: SIMD3<Double>) -> SIMD4<Float> { SIMD4(SIMD4<Double>(vector, 0)) }
    toSRGB = (column(matrix.red), column(matrix.green), column(matrix.blue))
    luminance = SIMD4(Float(from.red.y), Float(from.green.y), Float(from.blue.y), 0)
  }

  /// The colour in linear light of sRGB, 0 to 1; of four numbers the last one does not count.
  @inline(__always)
  func callAsFunction(_ source: SIMD4<Float>) -> SIMD4<Float> {
    let color = toSRGB.0 * source.x + toSRGB.1 * source.y + toSRGB.2 * source.z
    if isIdentity { return color.limited(to: .one) }
    let gray = (source * luminance).sum()
    // The way to the edge as a part of the colour's own way from grey, the other way round.
    let part = Self.reach(color, from: gray)
    guard part > Self.knee else { return color.limited(to: .one) }
    // What the source has, as a part of the way to the edge.
    let most = max(part / Self.reach(source, from: gray), 1) * Self.corner
    let end = (most - Self.knee) / (1 - Self.knee)
    let x = (part - Self.knee) / (1 - Self.knee)
    let kept = Self.knee + (1 - Self.knee) * min(1, x / (1 + x * (end - 1) / end))
    let result = gray + (color - gray) * (kept / part)
    return result.limited(to: .one)
  }

  /// How far a colour lies on the way from a grey to the edge of the cube of 0 to 1: 1 is at the edge.
  @inline(__always)
  private static func reach(_ color: SIMD4<Float>, from gray: Float) -> Float {
    // Grey is above 0 and below 1 where there are colours around it.
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
