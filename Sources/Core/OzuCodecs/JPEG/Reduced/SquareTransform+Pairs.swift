/// The transforms of squares of 3 × 3 and 4 × 4 coefficients: two neighbours at once, each in one half of the vectors.
extension SquareTransform {
  /// Four vectors. The lower halves are one square, the upper halves the next.
  struct Pair {
    var a, b, c, d: Vector
  }

  /// Four by four.
  @inline(__always)
  func fours(_ pair: Pair) -> Pair { four(Self.transposed(four(pair))) }

  /// Three by three. The last vector, and the last lane of each half, mean nothing.
  @inline(__always)
  func threes(_ pair: Pair) -> Pair { three(Self.transposed(three(pair))) }

  /// Constants: √2 cos(kπ/8) for k = 1 to 3 is 1.306563, 1, 0.541196.
  @inline(__always)
  private func four(_ x: Pair) -> Pair {
    let second = 4, sixth = 5
    let sum = x.a &+ x.c, difference = x.a &- x.c
    let outer = x.b &+ part(x.b, second) &+ x.d &+ part(x.d, sixth)
    let inner = x.b &+ part(x.b, sixth) &- x.d &- part(x.d, second)
    return Pair(a: sum &+ outer, b: difference &+ inner, c: difference &- inner, d: sum &- outer)
  }

  /// Constants: √2 cos(kπ/6) for k = 1 and 2 is 1.224745, 0.707107.
  @inline(__always)
  private func three(_ x: Pair) -> Pair {
    let first = 7, second = 8
    let half = x.c &+ part(x.c, second)
    let odd = x.b &+ part(x.b, first)
    return Pair(a: x.a &+ half &+ odd, b: x.a &- half &- half, c: x.a &+ half &- odd, d: .zero)
  }

  /// Rows for columns in both squares.
  @inline(__always)
  private static func transposed(_ x: Pair) -> Pair {
    let first = (low(x.a, x.b), low(x.c, x.d)), second = (high(x.a, x.b), high(x.c, x.d))
    let e = (lowPairs(first.0, first.1), highPairs(first.0, first.1))
    let f = (lowPairs(second.0, second.1), highPairs(second.0, second.1))
    return Pair(
      a: lowHalves(e.0, f.0), b: highHalves(e.0, f.0), c: lowHalves(e.1, f.1), d: highHalves(e.1, f.1))
  }
}
