/// Four rows at once, for pixels of three and four bytes.
///
/// A pixel depends on the pixel to its left, and on the pixel above it. So each row is one pixel behind the row above: a vector
/// holds a pixel of the first row, the one of the second row that is one to the left, and so on, each four bytes. One step
/// makes all of them. Each row may have a different filter.
///
/// Predictions are computed in eight bits, with the identity |a + b - 2c| = ||b - c| - |a - c|| if c is between a and b. If c
/// is outside, that distance is the sum of the two others, and never the smallest.
///
/// Unsafe pointers. Why every index is in bounds: rows have `count` bytes and `PNGUnfilter.margin` more that may be read and,
/// in results, written. A lane whose row has not begun is neither read nor written; four bytes are read and written at places
/// up to `count`; the lane of a row that has ended stays there.
extension PNGUnfilter {
  typealias Four<Element> = (Element, Element, Element, Element)

  /// Whether four rows with these filters are made at once: if two or more depend on the pixel to the left.
  func canMakeFour(_ filters: SIMD4<UInt8>) -> Bool {
    guard 3...4 ~= pixelByteCount, filters[0] <= 4, filters[1] <= 4, filters[2] <= 4, filters[3] <= 4 else {
      return false
    }
    let slow = (0..<4).reduce(0) { $0 + (filters[$1] >= 3 ? 1 : 0) }
    return slow >= 2
  }

  /// Makes four rows, each below the one before.
  ///
  /// - Precondition: `canMakeFour`.
  func applyFour(
    _ filters: SIMD4<UInt8>, _ raws: Four<UnsafePointer<UInt8>>, above: UnsafePointer<UInt8>,
    to rows: Four<UnsafeMutablePointer<UInt8>>
  ) {
    if filters == SIMD4(repeating: 4) {
      run(raws, above, rows) { left, up, corner in Self.paeth(left, up, corner) }
      return
    }
    func mask(_ filter: UInt8) -> SIMD16<UInt8> {
      var lanes = SIMD4<UInt32>.zero
      for lane in 0..<4 where filters[lane] == filter { lanes[lane] = .max }
      return unsafeBitCast(lanes, to: SIMD16<UInt8>.self)
    }
    let (sub, top, average, paeth) = (mask(1), mask(2), mask(3), mask(4))
    let low = SIMD16<UInt8>(repeating: 0x7F)
    run(raws, above, rows) { left, up, corner in
      // The mean rounded down, without a ninth bit.
      let half = unsafeBitCast(
        unsafeBitCast(left ^ up, to: SIMD8<UInt16>.self) &>> SIMD8(repeating: 1), to: SIMD16<UInt8>.self)
      let mean = (left & up) &+ (half & low)
      return left & sub | up & top | mean & average | Self.paeth(left, up, corner) & paeth
    }
  }

  @inline(__always)
  private func run(
    _ raws: Four<UnsafePointer<UInt8>>, _ above: UnsafePointer<UInt8>,
    _ rows: Four<UnsafeMutablePointer<UInt8>>,
    _ predict: (SIMD16<UInt8>, SIMD16<UInt8>, SIMD16<UInt8>) -> SIMD16<UInt8>
  ) {
    let step = pixelByteCount
    let count = count
    let upper = UnsafeRawPointer(above)
    let sources = (
      UnsafeRawPointer(raws.0), UnsafeRawPointer(raws.1), UnsafeRawPointer(raws.2), UnsafeRawPointer(raws.3)
    )
    let targets = (
      UnsafeMutableRawPointer(rows.0), UnsafeMutableRawPointer(rows.1), UnsafeMutableRawPointer(rows.2),
      UnsafeMutableRawPointer(rows.3)
    )
    var left = SIMD16<UInt8>.zero
    var corner = SIMD16<UInt8>.zero

    @inline(__always)
    func make(_ places: Four<Int>, from values: SIMD4<UInt32>) -> SIMD4<UInt32> {
      let before = unsafeBitCast(left, to: SIMD4<UInt32>.self)
      let top = upper.loadUnaligned(fromByteOffset: places.0, as: UInt32.self)
      let up = unsafeBitCast(
        SIMD4<UInt32>(top, before[0], before[1], before[2]), to: SIMD16<UInt8>.self)
      left = unsafeBitCast(values, to: SIMD16<UInt8>.self) &+ predict(left, up, corner)
      corner = up
      return unsafeBitCast(left, to: SIMD4<UInt32>.self)
    }

    /// A step in which some rows have not begun, or have ended.
    func edge(_ x: Int) {
      let places = (
        min(x, count), min(x &- step, count), min(x &- 2 &* step, count), min(x &- 3 &* step, count)
      )
      var values = SIMD4<UInt32>.zero
      values[0] = sources.0.loadUnaligned(fromByteOffset: places.0, as: UInt32.self)
      if places.1 >= 0 { values[1] = sources.1.loadUnaligned(fromByteOffset: places.1, as: UInt32.self) }
      if places.2 >= 0 { values[2] = sources.2.loadUnaligned(fromByteOffset: places.2, as: UInt32.self) }
      if places.3 >= 0 { values[3] = sources.3.loadUnaligned(fromByteOffset: places.3, as: UInt32.self) }
      let made = make(places, from: values)
      targets.0.storeBytes(of: made[0], toByteOffset: places.0, as: UInt32.self)
      if places.1 >= 0 { targets.1.storeBytes(of: made[1], toByteOffset: places.1, as: UInt32.self) }
      if places.2 >= 0 { targets.2.storeBytes(of: made[2], toByteOffset: places.2, as: UInt32.self) }
      if places.3 >= 0 { targets.3.storeBytes(of: made[3], toByteOffset: places.3, as: UInt32.self) }
      // The first pixel of a row has no pixel to its left: the neighbours of rows that have not begun are zero.
      var (lefts, corners) = (
        unsafeBitCast(left, to: SIMD4<UInt32>.self), unsafeBitCast(corner, to: SIMD4<UInt32>.self)
      )
      for (lane, place) in [places.0, places.1, places.2, places.3].enumerated() where place < 0 {
        lefts[lane] = 0
        corners[lane] = 0
      }
      left = unsafeBitCast(lefts, to: SIMD16<UInt8>.self)
      corner = unsafeBitCast(corners, to: SIMD16<UInt8>.self)
    }

    var x = 0
    while x < 3 &* step {
      edge(x)
      x &+= step
    }
    while x < count {
      let places = (x, x &- step, x &- 2 &* step, x &- 3 &* step)
      let made = make(
        places,
        from: SIMD4(
          sources.0.loadUnaligned(fromByteOffset: places.0, as: UInt32.self),
          sources.1.loadUnaligned(fromByteOffset: places.1, as: UInt32.self),
          sources.2.loadUnaligned(fromByteOffset: places.2, as: UInt32.self),
          sources.3.loadUnaligned(fromByteOffset: places.3, as: UInt32.self)))
      targets.0.storeBytes(of: made[0], toByteOffset: places.0, as: UInt32.self)
      targets.1.storeBytes(of: made[1], toByteOffset: places.1, as: UInt32.self)
      targets.2.storeBytes(of: made[2], toByteOffset: places.2, as: UInt32.self)
      targets.3.storeBytes(of: made[3], toByteOffset: places.3, as: UInt32.self)
      x &+= step
    }
    while x < count &+ 3 &* step {
      edge(x)
      x &+= step
    }
  }

  @inline(__always)
  static func paeth(
    _ left: SIMD16<UInt8>, _ up: SIMD16<UInt8>, _ corner: SIMD16<UInt8>
  ) -> SIMD16<UInt8> {
    let toLeft = most(up, corner) &- least(up, corner)
    let toUp = most(left, corner) &- least(left, corner)
    let clamped = most(least(left, up), least(most(left, up), corner))
    let difference = most(toLeft, toUp) &- least(toLeft, toUp)
    let toCorner = SIMD16<UInt8>(repeating: 255).replacing(with: difference, where: clamped .== corner)
    let nearest = least(least(toLeft, toUp), toCorner)
    // Ties go to the left, then up.
    let prediction = corner.replacing(with: up, where: toUp .== nearest)
    return prediction.replacing(with: left, where: toLeft .== nearest)
  }

  @inline(__always)
  private static func most(_ a: SIMD16<UInt8>, _ b: SIMD16<UInt8>) -> SIMD16<UInt8> {
    b.replacing(with: a, where: a .> b)
  }

  @inline(__always)
  private static func least(_ a: SIMD16<UInt8>, _ b: SIMD16<UInt8>) -> SIMD16<UInt8> {
    b.replacing(with: a, where: a .< b)
  }
}
