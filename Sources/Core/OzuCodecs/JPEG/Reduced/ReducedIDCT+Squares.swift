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

  /// The coefficients of a square.
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
