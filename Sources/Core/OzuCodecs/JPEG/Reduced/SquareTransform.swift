/// The inverse transforms of squares of 5 × 5, 6 × 6 and 8 × 8 coefficients, in 16 bits; in the extension below
/// those of 3 × 3 and 4 × 4.
///
/// A square has its axes exchanged, as `ReducedComponent` stores it: its vectors are columns. The first transform treats all
/// lanes alike. Then the square is transposed, and the second transform gives the rows of the samples.
///
/// Along one axis of `n` samples the transform is `y[i] = x[0] + √2 Σ x[k] cos((2i + 1)kπ / 2n)`. Two of them multiply the
/// samples by 8. Coefficients have 2 fraction bits, so the results have 5.
///
/// A product is the upper half of 32 bits. A constant is therefore a whole number and a fraction between −1/2 and 1/2 with 16
/// bits behind the point. Each product loses less than 1/32 of a level.
///
/// **Overflow.** All sums wrap at 16 bits. Before quantization, the coefficients of 8 × 8 bytes give sums of at most 4096 for
/// 8 eighths, 12 374 for 6, 10 577 for 5, 10 247 for 4 and 8305 for 3 (4096 times the square of the largest sum of absolute
/// weights that a sample of the result gives to the samples of a line: 1, 1.74, 1.61, 1.58, 1.42). 20 000 units, which are 625
/// levels, are left for quantization. Only coefficients that no encoder makes of a picture overflow. They give wrong samples
/// between 0 and 255, and the same ones on every machine: `SquareModel` of the tests computes them bit for bit.
struct SquareTransform {
  typealias Vector = SIMD8<Int16>

  /// The fractions of all constants, in whole vectors.
  ///
  /// They are read from memory each time: if LLVM knows their values, it does not use the instruction for the upper half
  /// of a product.
  ///
  /// `nonisolated(unsafe)`: written once, before the pointer is returned.
  private nonisolated(unsafe) static let fractions: UnsafePointer<Vector> = {
    let values: [Int16] = [
      25365, 11526, -14045, 18081, 20091, -30068, 23988, 14729, -19195, 22610, 9445, -11059, 28640, 27146,
    ]
    let fractions = UnsafeMutablePointer<Vector>.allocate(capacity: values.count)
    for (index, value) in values.enumerated() { (fractions + index).initialize(to: Vector(repeating: value)) }
    return UnsafePointer(fractions)
  }()

  private let fractions = Self.fractions

  /// x · fraction / 65536. Lane by lane, which becomes one instruction.
  @inline(__always)
  func part(_ x: Vector, _ fraction: Int) -> Vector {
    let products = Self.wide(x) &* Self.wide(fractions[fraction])
    let upper = products &>> SIMD8(repeating: 16)
    @inline(__always)
    func lane(_ index: Int) -> Int16 { Int16(truncatingIfNeeded: upper[index]) }
    return Vector(lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7))
  }

  /// Lane by lane, which becomes part of one instruction: the initializers that convert vectors are calls.
  @inline(__always)
  private static func wide(_ v: Vector) -> SIMD8<Int32> {
    SIMD8(
      Int32(v[0]), Int32(v[1]), Int32(v[2]), Int32(v[3]), Int32(v[4]), Int32(v[5]), Int32(v[6]), Int32(v[7]))
  }

  struct Square {
    var a, b, c, d, e, f, g, h: Vector
  }

  @inline(__always)
  func eights(_ square: Square) -> Square { eight(Self.transposed(eight(square))) }

  /// Six by six. The last two vectors, and the last two lanes, mean nothing.
  @inline(__always)
  func sixes(_ square: Square) -> Square { six(Self.transposed(six(square))) }

  /// Five by five. The last three vectors, and the last three lanes, mean nothing.
  @inline(__always)
  func fives(_ square: Square) -> Square { five(Self.transposed(five(square))) }

  /// Constants: √2 cos(kπ/16) for k = 1 to 7 is 1.387040, 1.306563, 1.175876, 1, 0.785695, 0.541196, 0.275899.
  @inline(__always)
  private func eight(_ x: Square) -> Square {
    let first = 0, third = 1, fifth = 2, seventh = 3, second = 4, sixth = 5
    let sum = x.a &+ x.e, difference = x.a &- x.e
    let outer = x.c &+ part(x.c, second) &+ x.g &+ part(x.g, sixth)
    let inner = x.c &+ part(x.c, sixth) &- x.g &- part(x.g, second)
    let even = (sum &+ outer, difference &+ inner, difference &- inner, sum &- outer)
    let bd = x.b &+ x.d, fromB = x.b &- x.f
    let odd0 = bd &+ x.f &+ part(x.b, first) &+ part(x.d, third) &+ part(x.f, fifth) &+ part(x.h, seventh)
    let odd1 =
      fromB &- x.h &+ part(x.b, third) &- part(x.d, seventh) &- part(x.f, first) &- part(x.h, fifth)
    let odd2 =
      x.b &- x.d &+ x.h &+ part(x.b, fifth) &- part(x.d, first) &+ part(x.f, seventh) &+ part(x.h, third)
    let odd3 =
      x.f &- x.d &- x.h &+ part(x.b, seventh) &- part(x.d, fifth) &+ part(x.f, third) &- part(x.h, first)
    return Square(
      a: even.0 &+ odd0, b: even.1 &+ odd1, c: even.2 &+ odd2, d: even.3 &+ odd3, e: even.3 &- odd3,
      f: even.2 &- odd2, g: even.1 &- odd1, h: even.0 &- odd0)
  }

  /// Constants: √2 cos(kπ/12) for k = 1 to 5 is 1.366025, 1.224745, 1, 0.707107, 0.366025.
  @inline(__always)
  private func six(_ x: Square) -> Square {
    let narrow = 6, second = 7, fourth = 8
    let wide = x.c &+ part(x.c, second)
    let half = x.e &+ part(x.e, fourth)
    let middle = x.a &+ half
    let even = (middle &+ wide, x.a &- half &- half, middle &- wide)
    let ofB = part(x.b, narrow), ofF = part(x.f, narrow)
    let odd = (x.b &+ ofB &+ x.d &+ ofF, x.b &- x.d &- x.f, ofB &- x.d &+ x.f &+ ofF)
    return Square(
      a: even.0 &+ odd.0, b: even.1 &+ odd.1, c: even.2 &+ odd.2, d: even.2 &- odd.2, e: even.1 &- odd.1,
      f: even.0 &- odd.0, g: .zero, h: .zero)
  }

  /// Constants: √2 cos(kπ/10) for k = 1 to 4 is 1.344997, 1.144123, 0.831254, 0.437016; and √2.
  @inline(__always)
  private func five(_ x: Square) -> Square {
    let first = 9, second = 10, third = 11, fourth = 12, root = 13
    let difference = x.c &- x.e
    let even = (
      x.a &+ x.c &+ part(x.c, second) &+ part(x.e, fourth),
      x.a &- part(x.c, fourth) &- x.e &- part(x.e, second),
      x.a &- difference &- part(difference, root)
    )
    let odd = (
      x.b &+ part(x.b, first) &+ x.d &+ part(x.d, third), x.b &+ part(x.b, third) &- x.d &- part(x.d, first)
    )
    return Square(
      a: even.0 &+ odd.0, b: even.1 &+ odd.1, c: even.2, d: even.1 &- odd.1, e: even.0 &- odd.0, f: .zero,
      g: .zero, h: .zero)
  }

  /// Rows for columns.
  @inline(__always)
  private static func transposed(_ x: Square) -> Square {
    let a = (low(x.a, x.b), high(x.a, x.b)), b = (low(x.c, x.d), high(x.c, x.d))
    let c = (low(x.e, x.f), high(x.e, x.f)), d = (low(x.g, x.h), high(x.g, x.h))
    let e = (lowPairs(a.0, b.0), highPairs(a.0, b.0)), f = (lowPairs(a.1, b.1), highPairs(a.1, b.1))
    let g = (lowPairs(c.0, d.0), highPairs(c.0, d.0)), h = (lowPairs(c.1, d.1), highPairs(c.1, d.1))
    return Square(
      a: lowHalves(e.0, g.0),
      b: highHalves(e.0, g.0),
      c: lowHalves(e.1, g.1),
      d: highHalves(e.1, g.1),
      e: lowHalves(f.0, h.0),
      f: highHalves(f.0, h.0),
      g: lowHalves(f.1, h.1),
      h: highHalves(f.1, h.1))
  }

  @inline(__always)
  static func low(_ x: Vector, _ y: Vector) -> Vector {
    Vector(x[0], y[0], x[1], y[1], x[2], y[2], x[3], y[3])
  }

  @inline(__always)
  static func high(_ x: Vector, _ y: Vector) -> Vector {
    Vector(x[4], y[4], x[5], y[5], x[6], y[6], x[7], y[7])
  }

  @inline(__always)
  static func lowPairs(_ x: Vector, _ y: Vector) -> Vector {
    let a = unsafeBitCast(x, to: SIMD4<UInt32>.self), b = unsafeBitCast(y, to: SIMD4<UInt32>.self)
    return unsafeBitCast(SIMD4<UInt32>(a[0], b[0], a[1], b[1]), to: Vector.self)
  }

  @inline(__always)
  static func highPairs(_ x: Vector, _ y: Vector) -> Vector {
    let a = unsafeBitCast(x, to: SIMD4<UInt32>.self), b = unsafeBitCast(y, to: SIMD4<UInt32>.self)
    return unsafeBitCast(SIMD4<UInt32>(a[2], b[2], a[3], b[3]), to: Vector.self)
  }

  @inline(__always)
  static func lowHalves(_ x: Vector, _ y: Vector) -> Vector {
    let a = unsafeBitCast(x, to: SIMD2<UInt64>.self), b = unsafeBitCast(y, to: SIMD2<UInt64>.self)
    return unsafeBitCast(SIMD2<UInt64>(a[0], b[0]), to: Vector.self)
  }

  @inline(__always)
  static func highHalves(_ x: Vector, _ y: Vector) -> Vector {
    let a = unsafeBitCast(x, to: SIMD2<UInt64>.self), b = unsafeBitCast(y, to: SIMD2<UInt64>.self)
    return unsafeBitCast(SIMD2<UInt64>(a[1], b[1]), to: Vector.self)
  }
}

/// The transforms of squares of 3 × 3 and 4 × 4 coefficients: two neighbours at once, each in one half of the vectors.
extension SquareTransform {
  /// Four vectors. The lower halves are one square, the upper halves the next.
  struct Pair {
    var a, b, c, d: Vector
  }

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
