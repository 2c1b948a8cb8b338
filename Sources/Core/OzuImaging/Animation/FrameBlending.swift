/// How a pixel of a frame is blended over a pixel of the canvas (Porter and Duff 1984, "over").
package enum FrameBlending: Sendable {
  /// Colours are premultiplied, as in all bitmaps.
  case premultiplied
  /// Colours are as stored, not premultiplied. Only for tests that compare a decoder with its reference bit by bit.
  case straight

  /// The upper pixel over the lower one.
  @inline(__always)
  func over(_ top: Pixel, _ bottom: Pixel) -> Pixel {
    // A pixel is four bytes. Read as a little-endian number, its highest byte is alpha.
    let (top, bottom) = (unsafeBitCast(top, to: UInt32.self), unsafeBitCast(bottom, to: UInt32.self))
    let word = over(UInt32(littleEndian: top), UInt32(littleEndian: bottom))
    return unsafeBitCast(word.littleEndian, to: Pixel.self)
  }

  private func over(_ top: UInt32, _ bottom: UInt32) -> UInt32 {
    let alpha = top >> 24
    if alpha == 255 { return top }
    if alpha == 0 { return bottom }
    return self == .premultiplied
      ? overMultiplied(top, bottom, 255 - alpha) : overStraight(top, bottom, alpha)
  }

  private func overMultiplied(_ top: UInt32, _ bottom: UInt32, _ rest: UInt32) -> UInt32 {
    var result: UInt32 = 0
    for shift in stride(from: UInt32(0), through: 24, by: 8) {
      let value = (top >> shift & 0xFF) + ((bottom >> shift & 0xFF) * rest + 127) / 255
      result |= min(value, 255) << shift
    }
    return result
  }

  private func overStraight(_ top: UInt32, _ bottom: UInt32, _ alpha: UInt32) -> UInt32 {
    let bottomAlpha = bottom >> 24
    // In units of 1/255².
    let topWeight = alpha * 255
    let bottomWeight = bottomAlpha * (255 - alpha)
    let total = topWeight + bottomWeight
    var result = (total + 127) / 255 << 24
    for shift in stride(from: UInt32(0), through: 16, by: 8) {
      let sum = (top >> shift & 0xFF) * topWeight + (bottom >> shift & 0xFF) * bottomWeight
      result |= (sum + total / 2) / total << shift
    }
    return result
  }
}
