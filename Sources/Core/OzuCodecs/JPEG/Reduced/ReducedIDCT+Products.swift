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
