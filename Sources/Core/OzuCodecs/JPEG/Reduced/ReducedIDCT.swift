/// Turns the kept coefficients of blocks into samples, in place.
///
/// The lowest `scale` × `scale` coefficients of a discrete cosine transform of 8 × 8 samples are, except for a
/// factor, those of a transform of `scale` × `scale` samples of the same picture without its higher frequencies. So the
/// inverse of the small transform gives the picture at `scale` eighths of its size. It is filtered better than a mean
/// over squares, and libjpeg's reduced decodes are close to such a mean.
///
/// With orthonormal transforms the factor is √(scale/8) along each axis. It is part of the constants below.
/// Samples have the 6 fraction bits of `SamplePlane` and are clamped to 0...255.
///
/// Unsafe pointers. Why every index is in bounds: a call transforms one row of blocks of a plane: `scale` rows of
/// `stride` samples, which is a multiple of 8. Columns run up to the stride in steps of eight, or up to `blockCount` squares,
/// for which the plane was made.
struct ReducedIDCT {
  let samples: UnsafeMutablePointer<Int16>
  let stride: Int
  let blockCount: Int
  /// For squares above 2, and for `multiply`.
  let dequantization: Dequantization

  private static let largest = SIMD8<Int16>(repeating: 255 << 6)
  private static let largestSample: Int32 = 255 << 6

  /// Transforms a row of blocks.
  func transform(scale: Int) {
    switch scale {
    case 1: means()
    case 2: pairs()
    case 3: threes()
    case 4: fours()
    case 5: fives()
    case 6: sixes()
    default: eights()
    }
  }

  private func vector(_ row: Int, _ column: Int) -> SIMD8<Int16> {
    UnsafeRawPointer(samples + (row &* stride &+ column)).loadUnaligned(as: SIMD8<Int16>.self)
  }

  private func store(_ vector: SIMD8<Int16>, _ row: Int, _ column: Int) {
    UnsafeMutableRawPointer(samples + (row &* stride &+ column)).storeBytes(of: vector, as: SIMD8<Int16>.self)
  }

  /// Makes samples with 6 fraction bits from sums of coefficients: eight times the sum, plus 128, clamped. It compares, because
  /// `pointwiseMin` is a function call.
  @inline(__always)
  private static func finish(_ sum: SIMD8<Int16>) -> SIMD8<Int16> {
    let high = SIMD8<Int16>(repeating: 1016), low = SIMD8<Int16>(repeating: -1024)
    let below = sum.replacing(with: high, where: sum .> high)
    let inside = below.replacing(with: low, where: below .< low)
    return (inside &+ SIMD8(repeating: 1024)) &<< SIMD8(repeating: 3)
  }

  private func means() {
    for x in Swift.stride(from: 0, to: stride, by: 8) { store(Self.finish(vector(0, x)), 0, x) }
  }

  /// All constants are 1/8, so sums are exact.
  private func pairs() {
    for x in Swift.stride(from: 0, to: stride, by: 8) {
      let upper = vector(0, x)
      let lower = vector(1, x)
      store(Self.pairs(upper &+ lower), 0, x)
      store(Self.pairs(upper &- lower), 1, x)
    }
  }

  /// Of each pair (a, b) the samples a + b and a − b.
  @inline(__always)
  private static func pairs(_ sum: SIMD8<Int16>) -> SIMD8<Int16> {
    // (a, b) with its neighbours exchanged and the second negated: a + b and a − b side by side.
    let words = unsafeBitCast(sum, to: SIMD4<UInt32>.self)
    let swapped = unsafeBitCast(
      words &<< SIMD4(repeating: 16) | words &>> SIMD4(repeating: 16), to: SIMD8<Int16>.self)
    return finish(swapped &+ sum &* SIMD8<Int16>(1, -1, 1, -1, 1, -1, 1, -1))
  }
}
