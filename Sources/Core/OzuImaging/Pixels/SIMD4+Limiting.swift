/// Vector operations for the loops over pixels of 16 bits, in forms that compile to a few instructions. `clamped`,
/// `addProduct` and the conversions of the standard library compile to a call for each number there.
extension SIMD4 where Scalar == Float {
  /// Limited to the range from 0 to `most`, for each number.
  @inline(__always)
  func limited(to most: SIMD4<Float>) -> SIMD4<Float> {
    let low = replacing(with: 0 as Float, where: self .< 0)
    return low.replacing(with: most, where: low .> most)
  }

  /// The nearest whole numbers, for values from 0 to 65,535; undefined 16-bit numbers for others.
  @inline(__always)
  var words: SIMD4<UInt32> {
    // From 2^23 on, a Float has no fractional bits: its lower bits are the whole number.
    let bits = unsafeBitCast(self + SIMD4(repeating: 8_388_608), to: SIMD4<UInt32>.self)
    return bits & SIMD4<UInt32>(repeating: 0xFFFF)
  }
}
