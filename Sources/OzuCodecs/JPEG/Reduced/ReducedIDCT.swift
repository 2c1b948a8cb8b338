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

  private static let largest = SIMD8<Int16>(repeating: 255 << 6)
  private static let largestSample: Int32 = 255 << 6

  /// Transforms a row of blocks.
  func transform(scale: Int) {
    switch scale {
    case 1: means()
    case 2: pairs()
    case 3: triples()
    case 4: quads()
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

  // Constants with 14 fraction bits.
  /// √(1/8): the mean, for any scale.
  private static let mean: Int32 = 5793
  /// For three samples: 1/2 · √3/2 and 1/4.
  private static let tripleOdd: Int32 = 7094
  private static let tripleEven: Int32 = 4096
  /// For four samples: cos(π/8)/2 and cos(3π/8)/2.
  private static let quadWide: Int32 = 7568
  private static let quadNarrow: Int32 = 3135

  /// Between the two directions numbers have 3 fraction bits, which keeps those of valid files in 16 bits.
  private static let middleShift: Int32 = 11
  /// From there: 14 + 3 − 6.
  private static let finalShift: Int32 = 11

  /// Converts lane by lane, which compiles to one instruction; the initializers that convert vectors are function calls.
  @inline(__always)
  private static func wide(_ v: SIMD8<Int16>) -> SIMD8<Int32> {
    SIMD8(
      Int32(v[0]), Int32(v[1]), Int32(v[2]), Int32(v[3]), Int32(v[4]), Int32(v[5]), Int32(v[6]), Int32(v[7]))
  }

  @inline(__always)
  private static func middle(_ sum: SIMD8<Int32>) -> SIMD8<Int16> {
    let v = (sum &+ SIMD8(repeating: 1 << (middleShift - 1))) &>> SIMD8(repeating: middleShift)
    @inline(__always)
    func lane(_ index: Int) -> Int16 { Int16(truncatingIfNeeded: v[index]) }
    return SIMD8(lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7))
  }

  private static func sample(_ sum: Int32) -> Int16 {
    let value = (sum &+ (1 << (finalShift - 1))) &>> finalShift &+ (128 << 6)
    return Int16(truncatingIfNeeded: max(0, min(largestSample, value)))
  }

  private func triples() {
    for x in Swift.stride(from: 0, to: stride, by: 8) {
      let mean = Self.wide(vector(0, x)) &* SIMD8(repeating: Self.mean)
      let odd = Self.wide(vector(1, x)) &* SIMD8(repeating: Self.tripleOdd)
      let even = Self.wide(vector(2, x)) &* SIMD8(repeating: Self.tripleEven)
      store(Self.middle(mean &+ odd &+ even), 0, x)
      store(Self.middle(mean &- even &- even), 1, x)
      store(Self.middle(mean &- odd &+ even), 2, x)
    }
    for row in 0..<3 {
      let line = samples + row &* stride
      for block in 0..<blockCount {
        let triple = line + 3 &* block
        let mean = Int32(triple[0]) &* Self.mean
        let odd = Int32(triple[1]) &* Self.tripleOdd
        let even = Int32(triple[2]) &* Self.tripleEven
        triple[0] = Self.sample(mean &+ odd &+ even)
        triple[1] = Self.sample(mean &- even &- even)
        triple[2] = Self.sample(mean &- odd &+ even)
      }
    }
  }

  private func quads() {
    for x in Swift.stride(from: 0, to: stride, by: 8) {
      let zero = Self.wide(vector(0, x)) &* SIMD8(repeating: Self.mean)
      let one = Self.wide(vector(1, x))
      let two = Self.wide(vector(2, x)) &* SIMD8(repeating: Self.mean)
      let three = Self.wide(vector(3, x))
      let outer = one &* SIMD8(repeating: Self.quadWide) &+ three &* SIMD8(repeating: Self.quadNarrow)
      let inner = one &* SIMD8(repeating: Self.quadNarrow) &- three &* SIMD8(repeating: Self.quadWide)
      store(Self.middle(zero &+ two &+ outer), 0, x)
      store(Self.middle(zero &- two &+ inner), 1, x)
      store(Self.middle(zero &- two &- inner), 2, x)
      store(Self.middle(zero &+ two &- outer), 3, x)
    }
    for row in 0..<4 {
      let line = samples + row &* stride
      for block in 0..<blockCount {
        let quad = line + 4 &* block
        let zero = Int32(quad[0]) &* Self.mean
        let one = Int32(quad[1])
        let two = Int32(quad[2]) &* Self.mean
        let three = Int32(quad[3])
        let outer = one &* Self.quadWide &+ three &* Self.quadNarrow
        let inner = one &* Self.quadNarrow &- three &* Self.quadWide
        quad[0] = Self.sample(zero &+ two &+ outer)
        quad[1] = Self.sample(zero &- two &+ inner)
        quad[2] = Self.sample(zero &- two &- inner)
        quad[3] = Self.sample(zero &+ two &- outer)
      }
    }
  }
}
