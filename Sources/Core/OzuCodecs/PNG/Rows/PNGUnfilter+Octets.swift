/// Eight rows at once, for pixels of three and four bytes.
///
/// A pixel depends on the pixel to its left, and on the pixel above it. So each row is one pixel behind the row above: two vectors
/// hold a pixel of the first row, the one of the second row that is one to the left, and so on, each four bytes. One step
/// makes all of them. Each row may have a different filter. A step waits for the one before, so two vectors, which do not wait
/// for each other, take hardly longer than one.
///
/// Paeth's prediction is computed in eight bits. With `low` and `high`, the smaller and the larger of left and up, and the
/// distances x = high - corner and y = corner - low, no less than zero: if 2y <= x it is `high`, if 2x <= y it is `low`, else it is
/// the corner. If the corner is not between them, one distance is zero, and the farther of the two is predicted.
///
/// Unsafe pointers. Why every index is in bounds: rows have `count` bytes and `PNGUnfilter.margin` more that may be read and,
/// in results, written. A lane whose row has not begun is neither read nor written; four bytes are read and written at places
/// up to `count`; the lane of a row that has ended stays there. Lanes without a row read the last row that is stored, and write
/// a row of the result that no one reads.
extension PNGUnfilter {
  /// The number of rows that are made at once.
  static let groupRowCount = 8

  struct Rows<Pointer> {
    var start: Pointer
    var stride: Int
  }

  /// Whether up to eight rows with these filters are made at once: if one needs the pixel to the left and the one above.
  func canMakeGroup(_ filters: SIMD8<UInt8>) -> Bool {
    3...4 ~= pixelByteCount && filters.max() <= 4 && filters.max() >= 3
  }

  /// Makes `number` rows, each below the one before. `above` may be the last of eight rows of the result: each of its bytes is
  /// read before it is written.
  ///
  /// - Precondition: `canMakeGroup`; there are one to eight rows, and room for eight results; the filters after `number` are zero.
  func applyGroup(
    _ filters: SIMD8<UInt8>, _ number: Int, _ stored: Rows<UnsafePointer<UInt8>>, above: UnsafePointer<UInt8>,
    to rows: Rows<UnsafeMutablePointer<UInt8>>
  ) {
    if filters == SIMD8(repeating: 4) {
      run(number, stored, above, rows) { left, up, corner, _ in Self.paeth(left, up, corner) }
      return
    }
    func masks(_ filter: UInt8) -> (SIMD16<UInt8>, SIMD16<UInt8>) {
      var lanes = SIMD8<UInt32>.zero
      for lane in 0..<8 where filters[lane] == filter { lanes[lane] = .max }
      return (
        unsafeBitCast(lanes.lowHalf, to: SIMD16<UInt8>.self),
        unsafeBitCast(lanes.highHalf, to: SIMD16<UInt8>.self)
      )
    }
    let (sub, top, average, paeth) = (masks(1), masks(2), masks(3), masks(4))
    run(number, stored, above, rows) { left, up, corner, isSecond in
      let mean = Self.mean(left, up)
      let nearest = Self.paeth(left, up, corner)
      return isSecond
        ? left & sub.1 | up & top.1 | mean & average.1 | nearest & paeth.1
        : left & sub.0 | up & top.0 | mean & average.0 | nearest & paeth.0
    }
  }

  @inline(__always)
  private func run(
    _ number: Int, _ stored: Rows<UnsafePointer<UInt8>>, _ above: UnsafePointer<UInt8>,
    _ rows: Rows<UnsafeMutablePointer<UInt8>>,
    _ predict: (SIMD16<UInt8>, SIMD16<UInt8>, SIMD16<UInt8>, _ isSecond: Bool) -> SIMD16<UInt8>
  ) {
    let step = pixelByteCount
    let count = count
    let upper = UnsafeRawPointer(above)
    func source(_ lane: Int) -> UnsafeRawPointer {
      UnsafeRawPointer(stored.start + min(lane, number - 1) * stored.stride)
    }
    func target(_ lane: Int) -> UnsafeMutableRawPointer {
      UnsafeMutableRawPointer(rows.start + lane * rows.stride)
    }
    var left = (SIMD16<UInt8>.zero, SIMD16<UInt8>.zero)
    var corner = (SIMD16<UInt8>.zero, SIMD16<UInt8>.zero)

    @inline(__always)
    func make(_ top: UInt32, _ first: SIMD4<UInt32>, _ second: SIMD4<UInt32>) {
      let (a, b) = (Self.words(left.0), Self.words(left.1))
      let up = (Self.bytes(SIMD4(top, a[0], a[1], a[2])), Self.bytes(SIMD4(a[3], b[0], b[1], b[2])))
      left.0 = Self.bytes(first) &+ predict(left.0, up.0, corner.0, false)
      left.1 = Self.bytes(second) &+ predict(left.1, up.1, corner.1, true)
      corner = up
    }

    /// A step in which some rows have not begun, or have ended.
    func edge(_ x: Int) {
      var (first, second) = (SIMD4<UInt32>.zero, SIMD4<UInt32>.zero)
      for lane in 0..<4 {
        let (place, later) = (min(x &- lane &* step, count), min(x &- (lane &+ 4) &* step, count))
        if place >= 0 { first[lane] = source(lane).loadUnaligned(fromByteOffset: place, as: UInt32.self) }
        if later >= 0 {
          second[lane] = source(lane &+ 4).loadUnaligned(fromByteOffset: later, as: UInt32.self)
        }
      }
      make(upper.loadUnaligned(fromByteOffset: min(x, count), as: UInt32.self), first, second)
      // The first pixel of a row has no pixel to its left. Its neighbours are zero already: lanes of rows that have not begun get
      // zeros alone, and the row above begins one step before.
      let made = (Self.words(left.0), Self.words(left.1))
      for lane in 0..<4 {
        let (place, later) = (min(x &- lane &* step, count), min(x &- (lane &+ 4) &* step, count))
        if place >= 0 { target(lane).storeBytes(of: made.0[lane], toByteOffset: place, as: UInt32.self) }
        if later >= 0 { target(lane &+ 4).storeBytes(of: made.1[lane], toByteOffset: later, as: UInt32.self) }
      }
    }

    var x = 0
    while x < 7 &* step {
      edge(x)
      x &+= step
    }
    let sources = (
      source(0), source(1) - step, source(2) - 2 * step, source(3) - 3 * step, source(4) - 4 * step,
      source(5) - 5 * step, source(6) - 6 * step, source(7) - 7 * step
    )
    let targets = (
      target(0), target(1) - step, target(2) - 2 * step, target(3) - 3 * step, target(4) - 4 * step,
      target(5) - 5 * step, target(6) - 6 * step, target(7) - 7 * step
    )
    while x < count {
      make(
        upper.loadUnaligned(fromByteOffset: x, as: UInt32.self),
        SIMD4(
          sources.0.loadUnaligned(fromByteOffset: x, as: UInt32.self),
          sources.1.loadUnaligned(fromByteOffset: x, as: UInt32.self),
          sources.2.loadUnaligned(fromByteOffset: x, as: UInt32.self),
          sources.3.loadUnaligned(fromByteOffset: x, as: UInt32.self)),
        SIMD4(
          sources.4.loadUnaligned(fromByteOffset: x, as: UInt32.self),
          sources.5.loadUnaligned(fromByteOffset: x, as: UInt32.self),
          sources.6.loadUnaligned(fromByteOffset: x, as: UInt32.self),
          sources.7.loadUnaligned(fromByteOffset: x, as: UInt32.self)))
      let made = (Self.words(left.0), Self.words(left.1))
      targets.0.storeBytes(of: made.0[0], toByteOffset: x, as: UInt32.self)
      targets.1.storeBytes(of: made.0[1], toByteOffset: x, as: UInt32.self)
      targets.2.storeBytes(of: made.0[2], toByteOffset: x, as: UInt32.self)
      targets.3.storeBytes(of: made.0[3], toByteOffset: x, as: UInt32.self)
      targets.4.storeBytes(of: made.1[0], toByteOffset: x, as: UInt32.self)
      targets.5.storeBytes(of: made.1[1], toByteOffset: x, as: UInt32.self)
      targets.6.storeBytes(of: made.1[2], toByteOffset: x, as: UInt32.self)
      targets.7.storeBytes(of: made.1[3], toByteOffset: x, as: UInt32.self)
      x &+= step
    }
    while x < count &+ 7 &* step {
      edge(x)
      x &+= step
    }
  }

  /// The predictor of Paeth in bytes; also for pixels of six and eight bytes.
  @inline(__always)
  static func paeth(
    _ left: SIMD16<UInt8>, _ up: SIMD16<UInt8>, _ corner: SIMD16<UInt8>
  ) -> SIMD16<UInt8> {
    let low = left.replacing(with: up, where: left .> up)
    let high = up.replacing(with: left, where: left .> up)
    let (x, y) = (excess(high, corner), excess(corner, low))
    let zero = SIMD16<UInt8>.zero
    // 2y <= x is y <= x - y. If both hold, all three values are the same.
    let prediction = corner.replacing(with: low, where: excess(x, excess(y, x)) .== zero)
    return prediction.replacing(with: high, where: excess(y, excess(x, y)) .== zero)
  }

  /// The difference, no less than zero.
  @inline(__always)
  private static func excess(_ a: SIMD16<UInt8>, _ b: SIMD16<UInt8>) -> SIMD16<UInt8> {
    SIMD16<UInt8>.zero.replacing(with: a &- b, where: a .> b)
  }

  @inline(__always)
  private static func bytes(_ words: SIMD4<UInt32>) -> SIMD16<UInt8> {
    unsafeBitCast(words, to: SIMD16<UInt8>.self)
  }

  @inline(__always)
  private static func words(_ bytes: SIMD16<UInt8>) -> SIMD4<UInt32> {
    unsafeBitCast(bytes, to: SIMD4<UInt32>.self)
  }
}
