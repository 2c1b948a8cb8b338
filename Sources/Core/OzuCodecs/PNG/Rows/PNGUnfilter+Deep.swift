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

  /// Makes a row with a slow filter.
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
