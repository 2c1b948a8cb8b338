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

/// Products of coefficients and steps, in place. The transforms of squares above 2 multiply too, but only this adds estimates for
/// missing bits, and only a progressive file needs it.
extension ReducedIDCT {
  /// Replaces the coefficients of a row of blocks by their products. A transform after it needs steps of 1.
  func multiply(scale: Int) {
    switch scale {
    // A mean is a product already.
    case 1: break
    case 3: multiplyThrees()
    // A vector has whole squares of 2 and 4.
    case 2, 4: multiply(count: stride / 8, step: 8, rows: scale)
    default: multiply(count: blockCount, step: scale, rows: scale)
    }
  }

  /// Multiplies vectors that begin every `step` samples, as `dequantize` does.
  @inline(never)
  private func multiply(count: Int, step: Int, rows: Int) {
    for row in 0..<rows {
      var place = UnsafeMutableRawPointer(samples + row &* stride)
      var next = place.loadUnaligned(as: SIMD8<Int16>.self)
      for index in 0..<count {
        let products = dequantization.estimates(next, vector: row)
        let here = place
        if index &+ 1 < count { place += 2 &* step }
        next = place.loadUnaligned(as: SIMD8<Int16>.self)
        here.storeBytes(of: products, as: SIMD8<Int16>.self)
      }
    }
  }

  /// The same for squares of 3, in vectors of which only the lower half is used.
  @inline(never)
  private func multiplyThrees() {
    for row in 0..<3 {
      var place = UnsafeMutableRawPointer(samples + row &* stride)
      var next = place.loadUnaligned(as: UInt64.self)
      for block in 0..<blockCount {
        let products = dequantization.estimates(
          unsafeBitCast(SIMD2(next, 0), to: SIMD8<Int16>.self), vector: row)
        let here = place
        if block &+ 1 < blockCount { place += 2 &* 3 }
        next = place.loadUnaligned(as: UInt64.self)
        here.storeBytes(of: unsafeBitCast(products, to: SIMD2<UInt64>.self)[0], as: UInt64.self)
      }
    }
  }
}

/// Squares of 3 × 3 and 4 × 4, two at a time.
extension ReducedIDCT {
  @inline(never)
  func threes() { forEachPair(3) { $0.threes($1) } }

  @inline(never)
  func fours() { forEachPair(4) { $0.fours($1) } }

  /// Transforms squares of 3 or 4 samples a side, two at a time. If their number is odd, the last pair of 3 is the last square
  /// twice, and the last pair of 4 ends in the padding of the row.
  ///
  /// A half of a vector has 4 samples: that of a square of 3 reaches one sample into the next. So a pair is read before the
  /// one to its left is written. Behind the last square `ReducedJPEGFrame.plane` leaves room.
  @inline(__always)
  private func forEachPair(
    _ side: Int, _ transform: (SquareTransform, SquareTransform.Pair) -> SquareTransform.Pair
  ) {
    let constants = SquareTransform()
    var here = PairPlace(samples, step: 0)
    var coefficients = SquareTransform.Pair(a: .zero, b: .zero, c: .zero, d: .zero)
    // One turn more than pairs: it reads a pair, and writes the one before it. A second reading place would be a second copy
    // of all that is inlined.
    for block in Swift.stride(from: 0, to: blockCount &+ 2, by: 2) {
      let isLast = block >= blockCount
      let next = isLast ? here : PairPlace(samples + block &* side, step: block &+ 1 < blockCount ? side : 0)
      let read = pair(next, side)
      if block > 0 {
        let sums = transform(constants, coefficients)
        Self.store(rounded(sums.a), here, side)
        Self.store(rounded(sums.b), here.moved(stride), side)
        Self.store(rounded(sums.c), here.moved(2 &* stride), side)
        if side > 3 { Self.store(rounded(sums.d), here.moved(3 &* stride), side) }
      }
      coefficients = read
      here = next
    }
  }

  /// The coefficients of two squares.
  @inline(__always)
  private func pair(_ place: PairPlace, _ side: Int) -> SquareTransform.Pair {
    SquareTransform.Pair(
      a: products(place, row: 0, side), b: products(place, row: 1, side), c: products(place, row: 2, side),
      d: side > 3 ? products(place, row: 3, side) : .zero)
  }

  /// Products with two fraction bits.
  @inline(__always)
  private func products(_ place: PairPlace, row: Int, _ side: Int) -> SIMD8<Int16> {
    dequantization.products(Self.load(place.moved(row &* stride), side), vector: row) &<< SIMD8(repeating: 2)
  }

  @inline(__always)
  private static func load(_ place: PairPlace, _ side: Int) -> SIMD8<Int16> {
    if side > 3 { return UnsafeRawPointer(place.first).loadUnaligned(as: SIMD8<Int16>.self) }
    let first = UnsafeRawPointer(place.first).loadUnaligned(as: UInt64.self)
    let second = UnsafeRawPointer(place.second).loadUnaligned(as: UInt64.self)
    return unsafeBitCast(SIMD2(first, second), to: SIMD8<Int16>.self)
  }

  @inline(__always)
  private static func store(_ row: SIMD8<Int16>, _ place: PairPlace, _ side: Int) {
    let target = UnsafeMutableRawPointer(place.first)
    if side > 3 { return target.storeBytes(of: row, as: SIMD8<Int16>.self) }
    let halves = unsafeBitCast(row, to: SIMD2<UInt64>.self)
    target.storeBytes(of: halves[0], as: UInt64.self)
    UnsafeMutableRawPointer(place.second).storeBytes(of: halves[1], as: UInt64.self)
  }
}

private struct PairPlace {
  let first: UnsafeMutablePointer<Int16>
  let second: UnsafeMutablePointer<Int16>

  @inline(__always)
  init(_ first: UnsafeMutablePointer<Int16>, step: Int) {
    self.first = first
    second = first + step
  }

  @inline(__always)
  func moved(_ samples: Int) -> PairPlace { PairPlace(first + samples, step: second - first) }
}

/// Squares of 5 × 5, 6 × 6 and 8 × 8, one at a time.
extension ReducedIDCT {
  // A function for each, because the optimiser gives up on a single one.
  @inline(never)
  func fives() { forEachSquare(5) { $0.fives($1) } }

  @inline(never)
  func sixes() { forEachSquare(6) { $0.sixes($1) } }

  @inline(never)
  func eights() { forEachSquare(8) { $0.eights($1) } }

  /// Transforms squares of 5, 6 or 8 samples a side.
  ///
  /// Rows of squares are read and written as whole vectors, which reach up to three samples into the square to the right. So
  /// a square is read before the one to its left is written. Behind the last square `ReducedJPEGFrame.plane` leaves room.
  @inline(__always)
  private func forEachSquare(
    _ side: Int, _ transform: (SquareTransform, SquareTransform.Square) -> SquareTransform.Square
  ) {
    guard blockCount > 0 else { return }
    let constants = SquareTransform()
    var coefficients = SquareTransform.Square(
      a: .zero, b: .zero, c: .zero, d: .zero, e: .zero, f: .zero, g: .zero, h: .zero)
    // One turn more than squares: it reads a square, and writes the one before it. A second reading place would be a second copy
    // of all that is inlined, and then a call.
    for block in 0...blockCount {
      let read = square(min(block, blockCount &- 1), side)
      if block > 0 {
        let sums = transform(constants, coefficients)
        let start = samples + (block &- 1) &* side
        store(sums.a, start)
        store(sums.b, start + stride)
        store(sums.c, start + 2 &* stride)
        store(sums.d, start + 3 &* stride)
        store(sums.e, start + 4 &* stride)
        if side > 5 { store(sums.f, start + 5 &* stride) }
        if side > 6 { store(sums.g, start + 6 &* stride) }
        if side > 6 { store(sums.h, start + 7 &* stride) }
      }
      coefficients = read
    }
  }

  @inline(__always)
  private func square(_ block: Int, _ side: Int) -> SquareTransform.Square {
    let start = samples + block &* side
    return SquareTransform.Square(
      a: products(start, row: 0), b: products(start, row: 1), c: products(start, row: 2),
      d: products(start, row: 3), e: products(start, row: 4), f: side > 5 ? products(start, row: 5) : .zero,
      g: side > 6 ? products(start, row: 6) : .zero, h: side > 6 ? products(start, row: 7) : .zero)
  }

  /// Products with two fraction bits.
  @inline(__always)
  private func products(_ square: UnsafeMutablePointer<Int16>, row: Int) -> SIMD8<Int16> {
    let coefficients = UnsafeRawPointer(square + row &* stride).loadUnaligned(as: SIMD8<Int16>.self)
    return dequantization.products(coefficients, vector: row) &<< SIMD8(repeating: 2)
  }

  /// Writes a row of samples.
  @inline(__always)
  func store(_ sums: SIMD8<Int16>, _ place: UnsafeMutablePointer<Int16>) {
    UnsafeMutableRawPointer(place).storeBytes(of: rounded(sums), as: SIMD8<Int16>.self)
  }

  /// Samples of sums: 5 fraction bits become 6, and 128 is added.
  @inline(__always)
  func rounded(_ sums: SIMD8<Int16>) -> SIMD8<Int16> {
    let high = SIMD8<Int16>(repeating: 127 << 5), low = SIMD8<Int16>(repeating: -128 << 5)
    let below = sums.replacing(with: high, where: sums .> high)
    let inside = below.replacing(with: low, where: below .< low)
    return (inside &+ SIMD8(repeating: 128 << 5)) &<< SIMD8(repeating: 1)
  }
}
