/// Four colours in XYB, the space of JPEG XL: red minus green, brightness, and blue minus brightness, each scaled to
/// about 0 to 1 as the metric does.
struct XYBColor {
  let x: SIMD4<Float>
  let y: SIMD4<Float>
  let b: SIMD4<Float>

  /// The bias that gives the dark end of the curve a finite slope, and its cube root.
  private static let bias: Float = 0.0037930733
  private static let biasRoot: Float = 0.15595420

  /// Converts linear light of sRGB: mixed as the three kinds of cones absorb it, then cube roots.
  @inline(__always)
  init(red: SIMD4<Float>, green: SIMD4<Float>, blue: SIMD4<Float>) {
    let long = Self.root(0.3 * red + 0.622 * green + 0.078 * blue + Self.bias)
    let medium = Self.root(0.23 * red + 0.692 * green + 0.078 * blue + Self.bias)
    let short = Self.root(0.24342269 * red + 0.20476744 * green + 0.55180987 * blue + Self.bias)
    let brightness = 0.5 * (long + medium) - Self.biasRoot
    x = (long - medium) * 7 + 0.42
    y = brightness + 0.01
    b = short - Self.biasRoot - brightness + 0.55
  }

  /// The cube root of values from 0.003 to 1.1, to 1e-6 of it.
  ///
  /// A third of the bits, subtracted from a constant, is a guess of the inverse root to 4 %; two steps of its series
  /// refine it without a division.
  @inline(__always)
  private static func root(_ value: SIMD4<Float>) -> SIMD4<Float> {
    let bits = unsafeBitCast(value, to: SIMD4<UInt32>.self)
    var third = (bits &>> 2) &+ (bits &>> 4)
    third = third &+ (third &>> 4)
    third = third &+ (third &>> 8)
    let guess = SIMD4(repeating: 0x54A1_E000) &- third
    var inverse = unsafeBitCast(guess, to: SIMD4<Float>.self)
    var rest = 1 - value * inverse * (inverse * inverse)
    inverse += inverse * rest * (1.0 / 3 as Float)
    rest = 1 - value * inverse * (inverse * inverse)
    inverse += inverse * rest * ((1.0 / 3 as Float) + rest * (2.0 / 9 as Float))
    return value * inverse * inverse
  }
}
