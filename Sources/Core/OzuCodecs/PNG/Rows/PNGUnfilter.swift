/// Undoes the filters of PNG (third edition, §9), a row at a time.
///
/// Three of five filters depend on the pixel to the left, so the pixels of a row cannot be computed at the same time. The bytes
/// of one pixel can: pixels of three and four bytes use the first lanes of vectors, or pixels of eight rows share two vectors
/// (`PNGUnfilter+Octets.swift`). Pixels of six and eight bytes have vectors of their own.
///
/// Unsafe pointers. Why every index is in bounds: `raw`, `above` and `row` have `count` bytes, and `margin` more that
/// may be read and, in `row`, written; loads take eight bytes and stores four or eight, at places up to
/// `count`. Bytes that are written beyond a pixel are written again with the next one.
struct PNGUnfilter {
  /// The bytes that each row must have after its pixels.
  static let margin = 16

  let count: Int
  /// The bytes of a pixel: 1 to 4, 6 or 8.
  let pixelByteCount: Int

  /// Makes `row` from the stored bytes `raw`; false for a filter that does not exist.
  func apply(
    _ filter: UInt8, _ raw: UnsafePointer<UInt8>, above: UnsafePointer<UInt8>,
    to row: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    if isDeep, Self.isSlow(filter) {
      applyDeep(filter, raw, above: above, to: row)
      return true
    }
    switch filter {
    case 0: row.update(from: raw, count: count)
    case 1: pixelByteCount >= 3 ? subWide(raw, row) : narrow(raw, above, row) { left, _, _ in left }
    case 2: up(raw, above, row)
    case 3:
      pixelByteCount >= 3
        ? averageWide(raw, above, row) : narrow(raw, above, row) { left, up, _ in (left &+ up) >> 1 }
    case 4: pixelByteCount >= 3 ? paethWide(raw, above, row) : narrow(raw, above, row, Self.paeth)
    default: return false
    }
    return true
  }

  private func up(
    _ raw: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>
  ) {
    for x in 0..<count { row[x] = raw[x] &+ above[x] }
  }

  /// The predictor of Paeth for single values.
  private static func paeth(_ left: Int32, _ up: Int32, _ corner: Int32) -> Int32 {
    let toLeft = abs(up &- corner)
    let toUp = abs(left &- corner)
    let toCorner = abs(left &+ up &- 2 &* corner)
    if toLeft <= toUp && toLeft <= toCorner { return left }
    return toUp <= toCorner ? up : corner
  }

  /// Pixels of one and two bytes.
  @inline(__always)
  private func narrow(
    _ raw: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>,
    _ predict: (Int32, Int32, Int32) -> Int32
  ) {
    for x in 0..<min(pixelByteCount, count) {
      row[x] = raw[x] &+ UInt8(truncatingIfNeeded: predict(0, Int32(above[x]), 0))
    }
    for x in stride(from: pixelByteCount, to: count, by: 1) {
      let before = x &- pixelByteCount
      let prediction = predict(Int32(row[before]), Int32(above[x]), Int32(above[before]))
      row[x] = raw[x] &+ UInt8(truncatingIfNeeded: prediction)
    }
  }

  private func subWide(_ raw: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>) {
    let source = UnsafeRawPointer(raw)
    let target = UnsafeMutableRawPointer(row)
    var left = SIMD8<UInt8>.zero
    for x in stride(from: 0, to: count, by: pixelByteCount) {
      left &+= source.loadUnaligned(fromByteOffset: x, as: SIMD8<UInt8>.self)
      Self.store(left, target, x)
    }
  }

  private func averageWide(
    _ raw: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>
  ) {
    let source = UnsafeRawPointer(raw)
    let upper = UnsafeRawPointer(above)
    let target = UnsafeMutableRawPointer(row)
    var left = SIMD8<UInt16>.zero
    for x in stride(from: 0, to: count, by: pixelByteCount) {
      let up = SIMD8<UInt16>(
        truncatingIfNeeded: upper.loadUnaligned(fromByteOffset: x, as: SIMD8<UInt8>.self))
      let mean = (left &+ up) &>> 1
      let value = source.loadUnaligned(fromByteOffset: x, as: SIMD8<UInt8>.self)
      let result = value &+ SIMD8<UInt8>(truncatingIfNeeded: mean)
      Self.store(result, target, x)
      left = SIMD8<UInt16>(truncatingIfNeeded: result)
    }
  }

  private func paethWide(
    _ raw: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>
  ) {
    let source = UnsafeRawPointer(raw)
    let upper = UnsafeRawPointer(above)
    let target = UnsafeMutableRawPointer(row)
    var left = SIMD8<Int16>.zero
    var corner = SIMD8<Int16>.zero
    let low = SIMD8<Int16>(repeating: 0xFF)
    for x in stride(from: 0, to: count, by: pixelByteCount) {
      let up = SIMD8<Int16>(
        truncatingIfNeeded: upper.loadUnaligned(fromByteOffset: x, as: SIMD8<UInt8>.self))
      let value = SIMD8<Int16>(
        truncatingIfNeeded: source.loadUnaligned(fromByteOffset: x, as: SIMD8<UInt8>.self))
      let vertical = up &- corner
      let horizontal = left &- corner
      let diagonal = vertical &+ horizontal
      let toLeft = Self.most(vertical, .zero &- vertical)
      let toUp = Self.most(horizontal, .zero &- horizontal)
      let toCorner = Self.most(diagonal, .zero &- diagonal)
      let nearest = Self.least(Self.least(toLeft, toUp), toCorner)
      // Ties go to the left, then up.
      var prediction = corner.replacing(with: up, where: toUp .== nearest)
      prediction = prediction.replacing(with: left, where: toLeft .== nearest)
      left = (value &+ prediction) & low
      corner = up
      Self.store(SIMD8<UInt8>(truncatingIfNeeded: left), target, x)
    }
  }

  /// Whether two rows with these filters can be made at once.
  func canPair(_ first: UInt8, _ second: UInt8) -> Bool {
    isDeep && Self.isSlow(first) && Self.isSlow(second)
  }

  // In kernels as short as these the standard library's functions are called, and not inlined.

  @inline(__always)
  private static func most(_ a: SIMD8<Int16>, _ b: SIMD8<Int16>) -> SIMD8<Int16> {
    b.replacing(with: a, where: a .> b)
  }

  @inline(__always)
  private static func least(_ a: SIMD8<Int16>, _ b: SIMD8<Int16>) -> SIMD8<Int16> {
    b.replacing(with: a, where: a .< b)
  }

  @inline(__always)
  private static func store(_ value: SIMD8<UInt8>, _ target: UnsafeMutableRawPointer, _ x: Int) {
    target.storeBytes(of: value.lowHalf, toByteOffset: x, as: SIMD4<UInt8>.self)
  }
}

/// Pixels of six and eight bytes, which are three or four values of sixteen bits: one row, or two at once.
///
/// As with four rows at once, a vector holds a pixel of the first row and the one of the second that is one to the left, each
/// eight bytes. In vectors of six-byte pixels the last two bytes belong to the next pixel; lanes do not depend on each other.
///
/// Unsafe pointers. Why every index is in bounds: rows have `count` bytes and `PNGUnfilter.margin` more that may be read and,
/// in results, written; eight bytes are read and written at places up to `count`.
extension PNGUnfilter {
  var isDeep: Bool { pixelByteCount > 4 }

  /// Whether a filter depends on the pixel to the left.
  static func isSlow(_ filter: UInt8) -> Bool { filter == 1 || filter == 3 || filter == 4 }

  func applyDeep(
    _ filter: UInt8, _ raw: UnsafePointer<UInt8>, above: UnsafePointer<UInt8>,
    to row: UnsafeMutablePointer<UInt8>
  ) {
    switch filter {
    case 1: one(raw, above, row) { left, _, _ in left }
    case 3: one(raw, above, row) { left, up, _ in Self.mean(left, up) }
    default: one(raw, above, row) { left, up, corner in Self.paeth(left, up, corner) }
    }
  }

  /// Makes two rows with slow filters, the second lying under the first.
  func applyTwo(
    _ filters: SIMD2<UInt8>, _ raw: UnsafePointer<UInt8>, _ secondRaw: UnsafePointer<UInt8>,
    above: UnsafePointer<UInt8>, to row: UnsafeMutablePointer<UInt8>,
    _ secondRow: UnsafeMutablePointer<UInt8>
  ) {
    if filters == SIMD2(4, 4) {
      two(raw, secondRaw, above, row, secondRow) { left, up, corner in Self.paeth(left, up, corner) }
      return
    }
    func mask(_ filter: UInt8) -> SIMD16<UInt8> {
      Self.bytes(SIMD2(filters[0] == filter ? .max : 0, filters[1] == filter ? .max : 0))
    }
    let (sub, average, paeth) = (mask(1), mask(3), mask(4))
    two(raw, secondRaw, above, row, secondRow) { left, up, corner in
      left & sub | Self.mean(left, up) & average | Self.paeth(left, up, corner) & paeth
    }
  }

  @inline(__always)
  private func one(
    _ raw: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>,
    _ predict: (SIMD16<UInt8>, SIMD16<UInt8>, SIMD16<UInt8>) -> SIMD16<UInt8>
  ) {
    let (source, upper, target) = (
      UnsafeRawPointer(raw), UnsafeRawPointer(above), UnsafeMutableRawPointer(row)
    )
    var (left, corner) = (SIMD16<UInt8>.zero, SIMD16<UInt8>.zero)
    var x = 0
    while x < count {
      let up = Self.bytes(SIMD2(upper.loadUnaligned(fromByteOffset: x, as: UInt64.self), 0))
      let value = Self.bytes(SIMD2(source.loadUnaligned(fromByteOffset: x, as: UInt64.self), 0))
      left = value &+ predict(left, up, corner)
      corner = up
      target.storeBytes(of: Self.words(left)[0], toByteOffset: x, as: UInt64.self)
      x &+= pixelByteCount
    }
  }

  @inline(__always)
  private func two(
    _ raw: UnsafePointer<UInt8>, _ secondRaw: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>,
    _ row: UnsafeMutablePointer<UInt8>, _ secondRow: UnsafeMutablePointer<UInt8>,
    _ predict: (SIMD16<UInt8>, SIMD16<UInt8>, SIMD16<UInt8>) -> SIMD16<UInt8>
  ) {
    let (source, secondSource, upper) = (
      UnsafeRawPointer(raw), UnsafeRawPointer(secondRaw), UnsafeRawPointer(above)
    )
    let (target, secondTarget) = (UnsafeMutableRawPointer(row), UnsafeMutableRawPointer(secondRow))
    var (left, corner) = (SIMD16<UInt8>.zero, SIMD16<UInt8>.zero)

    @inline(__always)
    func make(_ x: Int, _ second: UInt64) -> SIMD2<UInt64> {
      let top = upper.loadUnaligned(fromByteOffset: x, as: UInt64.self)
      let up = Self.bytes(SIMD2(top, Self.words(left)[0]))
      let value = Self.bytes(SIMD2(source.loadUnaligned(fromByteOffset: x, as: UInt64.self), second))
      left = value &+ predict(left, up, corner)
      corner = up
      return Self.words(left)
    }

    // There is no pixel of the second row yet: its lanes stay zero, and so do the neighbours of its first pixel.
    target.storeBytes(of: make(0, 0)[0], toByteOffset: 0, as: UInt64.self)
    var x = pixelByteCount
    // One step more than there are pixels: it makes the last pixel of the second row. The lanes of the first row then read and
    // write its margin.
    while x <= count {
      let before = x &- pixelByteCount
      let made = make(x, secondSource.loadUnaligned(fromByteOffset: before, as: UInt64.self))
      target.storeBytes(of: made[0], toByteOffset: x, as: UInt64.self)
      secondTarget.storeBytes(of: made[1], toByteOffset: before, as: UInt64.self)
      x &+= pixelByteCount
    }
  }

  /// The mean rounded down, without a ninth bit.
  @inline(__always)
  private static func mean(_ left: SIMD16<UInt8>, _ up: SIMD16<UInt8>) -> SIMD16<UInt8> {
    let half = unsafeBitCast(
      unsafeBitCast(left ^ up, to: SIMD8<UInt16>.self) &>> SIMD8(repeating: 1), to: SIMD16<UInt8>.self)
    return (left & up) &+ (half & SIMD16(repeating: 0x7F))
  }

  @inline(__always)
  private static func bytes(_ words: SIMD2<UInt64>) -> SIMD16<UInt8> {
    unsafeBitCast(words, to: SIMD16<UInt8>.self)
  }

  @inline(__always)
  private static func words(_ bytes: SIMD16<UInt8>) -> SIMD2<UInt64> {
    unsafeBitCast(bytes, to: SIMD2<UInt64>.self)
  }
}
