/// The forward DCT of 8 x 8 samples: libjpeg's accurate method in integers (Loeffler, Ligtenberg and Moschytz, "Practical
/// fast 1-D DCT algorithms with 11 multiplications", 1989), equal to the bit. Coefficients are 8 times those of the
/// standard, which keeps three bits more than the rounded ones.
enum JPEGForwardTransform {
  private typealias Vector = SIMD8<Int32>
  private typealias Vectors = (Vector, Vector, Vector, Vector, Vector, Vector, Vector, Vector)

  /// Bits after the point of the constants, and of the first results.
  private static let constantBits: Int32 = 13
  private static let passBits: Int32 = 2

  /// Transforms rows of samples, which are around zero, to rows of frequencies.
  ///
  /// Unsafe pointers: there are 64 of each.
  static func transform(_ samples: UnsafeMutablePointer<Int32>, into block: UnsafeMutablePointer<Int16>) {
    let rows = pass(transposed(samples), evenShift: -passBits, shift: constantBits - passBits)
    UnsafeMutableRawPointer(samples).storeBytes(of: rows, as: Vectors.self)
    let result = pass(transposed(samples), evenShift: passBits, shift: constantBits + passBits)
    func narrow(_ row: Vector) -> SIMD8<Int16> { SIMD8(truncatingIfNeeded: row) }
    let narrowed = (
      narrow(result.0), narrow(result.1), narrow(result.2), narrow(result.3), narrow(result.4),
      narrow(result.5),
      narrow(result.6), narrow(result.7)
    )
    UnsafeMutableRawPointer(block).storeBytes(of: narrowed, as: type(of: narrowed))
  }

  private static func transposed(_ v: UnsafePointer<Int32>) -> Vectors {
    func column(_ x: Int) -> Vector {
      Vector(v[x], v[8 &+ x], v[16 &+ x], v[24 &+ x], v[32 &+ x], v[40 &+ x], v[48 &+ x], v[56 &+ x])
    }
    return (column(0), column(1), column(2), column(3), column(4), column(5), column(6), column(7))
  }

  /// One direction. Sums without a multiplication are shifted by `evenShift`, to the left if it is negative.
  @inline(__always)
  private static func pass(_ v: Vectors, evenShift: Int32, shift: Int32) -> Vectors {
    func descaled(_ value: Vector, _ shift: Int32) -> Vector {
      shift < 0
        ? value &<< Vector(repeating: -shift)
        : (value &+ Vector(repeating: 1 &<< (shift &- 1))) &>> Vector(repeating: shift)
    }
    let (sum0, sum1, sum2, sum3) = (v.0 &+ v.7, v.1 &+ v.6, v.2 &+ v.5, v.3 &+ v.4)
    let (odd3, odd2, odd1, odd0) = (v.0 &- v.7, v.1 &- v.6, v.2 &- v.5, v.3 &- v.4)
    let (outer, inner) = (sum0 &+ sum3, sum1 &+ sum2)
    let (outerTurn, innerTurn) = (sum0 &- sum3, sum1 &- sum2)
    let turn = (innerTurn &+ outerTurn) &* 4433
    let common = (odd0 &+ odd2 &+ odd1 &+ odd3) &* 9633
    let z1 = (odd0 &+ odd3) &* -7373
    let z2 = (odd1 &+ odd2) &* -20995
    let z3 = (odd0 &+ odd2) &* -16069 &+ common
    let z4 = (odd1 &+ odd3) &* -3196 &+ common
    return (
      descaled(outer &+ inner, evenShift),
      descaled(odd3 &* 12299 &+ z1 &+ z4, shift),
      descaled(turn &+ outerTurn &* 6270, shift),
      descaled(odd2 &* 25172 &+ z2 &+ z3, shift),
      descaled(outer &- inner, evenShift),
      descaled(odd1 &* 16819 &+ z2 &+ z4, shift),
      descaled(turn &- innerTurn &* 15137, shift),
      descaled(odd0 &* 2446 &+ z1 &+ z3, shift)
    )
  }
}
