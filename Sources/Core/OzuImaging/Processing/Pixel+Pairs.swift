extension SIMD8<UInt8> {
  /// Two pixels side by side. Both types consist of their bytes only, in the same order.
  @inline(__always)
  init(_ first: Pixel, _ second: Pixel) {
    self.init(
      lowHalf: unsafeBitCast(first, to: SIMD4<UInt8>.self),
      highHalf: unsafeBitCast(second, to: SIMD4<UInt8>.self))
  }

  /// The two pixels.
  @inline(__always)
  var pixels: (Pixel, Pixel) {
    (unsafeBitCast(lowHalf, to: Pixel.self), unsafeBitCast(highHalf, to: Pixel.self))
  }
}
