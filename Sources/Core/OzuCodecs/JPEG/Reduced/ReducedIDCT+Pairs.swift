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

/// The places of a row of two neighbouring squares.
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
