/// What the loops over pixels of 16 bits need of vectors, in forms that become a few instructions. `clamped`, `addProduct`, and the
/// conversions of the standard library are calls for each number there.
extension SIMD4 where Scalar == Float {
  /// Between 0 and a limit for each.
  @inline(__always)
  func limited(to most: SIMD4<Float>) -> SIMD4<Float> {
    let low = replacing(with: 0 as Float, where: self .< 0)
    return low.replacing(with: most, where: low .> most)
  }

  /// The nearest whole numbers of values from 0 to 65,535; of others, some numbers of 16 bits.
  @inline(__always)
  var words: SIMD4<UInt32> {
    // From 2^23 on, numbers have no part behind the point: the lower bits are the number.
    let bits = unsafeBitCast(self + SIMD4(repeating: 8_388_608), to: SIMD4<UInt32>.self)
    return bits & SIMD4<UInt32>(repeating: 0xFFFF)
  }
}
