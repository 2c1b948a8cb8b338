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
    dequantize(side)
    let constants = SquareTransform()
    var next = square(0, side)
    for block in 0..<blockCount {
      let sums = transform(constants, next)
      next = square(min(block &+ 1, blockCount &- 1), side)
      let start = samples + block &* side
      store(sums.a, start)
      store(sums.b, start + stride)
      store(sums.c, start + 2 &* stride)
      store(sums.d, start + 3 &* stride)
      store(sums.e, start + 4 &* stride)
      if side > 5 { store(sums.f, start + 5 &* stride) }
      if side > 6 { store(sums.g, start + 6 &* stride) }
      if side > 6 { store(sums.h, start + 7 &* stride) }
    }
  }

  /// The coefficients of a square.
  @inline(__always)
  private func square(_ block: Int, _ side: Int) -> SquareTransform.Square {
    let start = samples + block &* side
    return SquareTransform.Square(
      a: load(start), b: load(start + stride), c: load(start + 2 &* stride), d: load(start + 3 &* stride),
      e: load(start + 4 &* stride), f: side > 5 ? load(start + 5 &* stride) : .zero,
      g: side > 6 ? load(start + 6 &* stride) : .zero, h: side > 6 ? load(start + 7 &* stride) : .zero)
  }

  /// Coefficients with two fraction bits.
  @inline(__always)
  private func load(_ place: UnsafeMutablePointer<Int16>) -> SIMD8<Int16> {
    UnsafeRawPointer(place).loadUnaligned(as: SIMD8<Int16>.self) &<< SIMD8(repeating: 2)
  }

  /// Replaces the coefficients of a row of squares by their products. A vector is read before the one to its left is written,
  /// whose end would wait in the processor otherwise. A function of its own, because the optimiser gives up on one that
  /// transforms too.
  @inline(never)
  private func dequantize(_ side: Int) {
    for row in 0..<side {
      var place = UnsafeMutableRawPointer(samples + row &* stride)
      var next = place.loadUnaligned(as: SIMD8<Int16>.self)
      for block in 0..<blockCount {
        let products = dequantization.products(next, vector: row)
        let here = place
        if block &+ 1 < blockCount { place += 2 &* side }
        next = place.loadUnaligned(as: SIMD8<Int16>.self)
        here.storeBytes(of: products, as: SIMD8<Int16>.self)
      }
    }
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
