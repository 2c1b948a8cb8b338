/// The Gaussian of the metric, standard deviation 1.5, as a sum of three truncated cosines (Charalampidis 2016).
///
/// The reference computes it recursively; its impulse response ends after four pixels, so nine weights give the
/// same values, without a chain of dependencies along the row.
enum GaussianKernel {
  /// How many pixels the blur reaches to either side.
  static let reach = 4

  private static let weights: (Float, Float, Float, Float, Float) = (
    0.264621105, 0.212928592, 0.109335373, 0.036011115, 0.009414368
  )

  /// The blurred value of the middle, from the sums of its two neighbours at each distance.
  @inline(__always)
  static func blur(
    _ middle: SIMD4<Float>, _ first: SIMD4<Float>, _ second: SIMD4<Float>, _ third: SIMD4<Float>,
    _ fourth: SIMD4<Float>
  ) -> SIMD4<Float> {
    middle * weights.0 + first * weights.1 + second * weights.2 + third * weights.3 + fourth * weights.4
  }
}

extension UnsafeMutablePointer<Float> {
  @inline(__always)
  func four(_ x: Int) -> SIMD4<Float> {
    UnsafeRawPointer(self + x).loadUnaligned(as: SIMD4<Float>.self)
  }

  @inline(__always)
  func store(_ value: SIMD4<Float>, _ x: Int) {
    UnsafeMutableRawPointer(self + x).storeBytes(of: value, as: SIMD4<Float>.self)
  }
}
