/// Undoes the filters of PNG (third edition, §9), a row at a time.
///
/// Three of five filters depend on the pixel to the left, so the pixels of a row cannot be computed at the same time. The bytes
/// of one pixel can. Where rows need the pixel above too, pixels of three and four bytes of eight rows share two vectors
/// (`PNGUnfilter+Octets.swift`).
///
/// Unsafe pointers. Why every index is in bounds: `raw`, `above` and `row` have `count` bytes, and `margin` more that
/// may be read and, in `row`, written; loads and stores take eight bytes at places up to `count`. Bytes that are
/// written beyond a pixel are written again with the next one.
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
    switch filter {
    case 0: row.update(from: raw, count: count)
    case 1 where pixelByteCount >= 3: wide(raw, above, row) { left, _, _ in left }
    case 1: narrow(raw, above, row) { left, _, _ in left }
    case 2: for x in 0..<count { row[x] = raw[x] &+ above[x] }
    case 3 where pixelByteCount >= 3: wide(raw, above, row) { left, up, _ in Self.mean(left, up) }
    case 3: narrow(raw, above, row) { left, up, _ in (left &+ up) >> 1 }
    case 4 where pixelByteCount >= 3:
      wide(raw, above, row) { left, up, corner in Self.paeth(left, up, corner) }
    case 4: narrow(raw, above, row, Self.paeth)
    default: return false
    }
    return true
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
}

/// Pixels of three bytes and more in vectors: one row, or two at once if pixels have six or eight bytes.
///
/// As with eight rows at once, a vector holds a pixel of the first row and the one of the second that is one to the left, each
/// eight bytes. The bytes of a vector behind a pixel belong to the next one; lanes do not depend on each other.
///
/// Unsafe pointers. Why every index is in bounds: rows have `count` bytes and `PNGUnfilter.margin` more that may be read and,
/// in results, written; eight bytes are read and written at places up to `count`.
extension PNGUnfilter {
  /// Whether two rows with these filters can be made at once: if both depend on the pixel to the left.
  func canPair(_ first: UInt8, _ second: UInt8) -> Bool {
    pixelByteCount > 4 && Self.isSlow(first) && Self.isSlow(second)
  }

  private static func isSlow(_ filter: UInt8) -> Bool { filter == 1 || 3...4 ~= filter }

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
  private func wide(
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
  static func mean(_ left: SIMD16<UInt8>, _ up: SIMD16<UInt8>) -> SIMD16<UInt8> {
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
