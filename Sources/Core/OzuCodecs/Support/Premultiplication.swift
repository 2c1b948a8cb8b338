import OzuImaging

/// Multiplies colours by alpha, and divides them again, exactly rounded, with four 8-bit channels in a word.
///
/// Two channels are multiplied at once in the halves of a word: 255 * 255 + 128 plus the carry of the division
/// stays below 16 bits, so the halves do not overlap. `(t + (t >> 8)) >> 8` with `t = c * a + 128` is `(c * a +
/// 127) / 255` for all bytes `c` and `a`. LLVM vectorises the loop.
package enum Premultiplication {
  /// Multiplies the colours of one row of BGRA in place.
  ///
  /// Raw memory, because these are the bytes of a bitmap that is being made: only the caller's row of `width`
  /// pixels is accessed.
  package static func apply(to row: UnsafeMutableRawPointer, width: Int) {
    let pixels = row.assumingMemoryBound(to: UInt32.self)
    for x in 0..<width {
      let pixel = UInt32(littleEndian: pixels[x])
      let alpha = pixel >> 24
      var redBlue = (pixel & 0x00FF_00FF) &* alpha &+ 0x0080_0080
      redBlue = ((redBlue &+ ((redBlue >> 8) & 0x00FF_00FF)) >> 8) & 0x00FF_00FF
      var green = ((pixel >> 8) & 0xFF) &* alpha &+ 0x80
      green = ((green &+ (green >> 8)) >> 8) & 0xFF
      pixels[x] = UInt32(littleEndian: alpha << 24 | redBlue | green << 8)
    }
  }

  /// Multiplies the colours of one row in any format in place; grey has no alpha.
  package static func apply(to row: UnsafeMutableRawPointer, width: Int, _ format: PixelFormat) {
    switch format {
    case .bgra8: apply(to: row, width: width)
    case .rgba16: applyWide(to: row, width: width)
    case .gray8: break
    }
  }

  /// Multiplies the colours of one row of RGBA in 16 bits in place. Only the caller's row is accessed, as above.
  package static func applyWide(to row: UnsafeMutableRawPointer, width: Int) {
    let values = row.assumingMemoryBound(to: UInt16.self)
    for x in 0..<width {
      let alpha = UInt32(values[x * 4 + 3])
      for channel in x * 4..<x * 4 + 3 {
        values[channel] = UInt16((UInt32(values[channel]) * alpha + 32_767) / 65_535)
      }
    }
  }

  /// Writes one row of RGBA in 16 bits with the colours divided by alpha. Wholly transparent pixels become
  /// transparent black.
  package static func undoWide(_ row: UnsafeRawPointer, to straight: UnsafeMutableRawPointer, width: Int) {
    let source = row.assumingMemoryBound(to: UInt16.self)
    let target = straight.assumingMemoryBound(to: UInt16.self)
    for x in 0..<width {
      let alpha = UInt32(source[x * 4 + 3])
      for channel in x * 4..<x * 4 + 3 {
        target[channel] =
          alpha == 0 ? 0 : UInt16(min(65_535, (UInt32(source[channel]) * 65_535 + alpha / 2) / alpha))
      }
      target[x * 4 + 3] = UInt16(alpha)
    }
  }

  /// Makes every pixel of one row of RGBA in 16 bits opaque, without changing its colours.
  package static func makeOpaqueWide(_ row: UnsafeMutableRawPointer, width: Int) {
    let values = row.assumingMemoryBound(to: UInt16.self)
    for x in 0..<width { values[x * 4 + 3] = .max }
  }

  /// Limits the colours of one row in 16 bits to their alpha.
  package static func clampWide(_ row: UnsafeMutableRawPointer, width: Int) {
    let values = row.assumingMemoryBound(to: UInt16.self)
    for x in 0..<width {
      for channel in x * 4..<x * 4 + 3 { values[channel] = min(values[channel], values[x * 4 + 3]) }
    }
  }

  /// Makes every pixel of one row of BGRA opaque, without changing its colours.
  package static func makeOpaque(_ row: UnsafeMutableRawPointer, width: Int) {
    let pixels = row.assumingMemoryBound(to: UInt32.self)
    for x in 0..<width { pixels[x] |= UInt32(littleEndian: 0xFF00_0000) }
  }

  /// Limits the colours of one row of BGRA to their alpha.
  package static func clamp(_ row: UnsafeMutableRawPointer, width: Int) {
    let bytes = row.assumingMemoryBound(to: UInt8.self)
    for x in 0..<width {
      let alpha = bytes[x * 4 + 3]
      for channel in 0..<3 { bytes[x * 4 + channel] = min(bytes[x * 4 + channel], alpha) }
    }
  }

  /// Writes one row of BGRA with the colours divided by alpha: the nearest values that give the same product.
  /// Wholly transparent pixels become transparent black.
  ///
  /// `rounds: false` gives the next lower values instead, as in readers whose results the tests compare with.
  package static func undo(
    _ row: UnsafeRawPointer, to straight: UnsafeMutableRawPointer, width: Int, rounds: Bool = true
  ) {
    let source = row.assumingMemoryBound(to: UInt32.self)
    let target = straight.assumingMemoryBound(to: UInt32.self)
    for x in 0..<width {
      let pixel = UInt32(littleEndian: source[x])
      let alpha = pixel >> 24
      if alpha == 255 {
        target[x] = UInt32(littleEndian: pixel)
        continue
      }
      if alpha == 0 {
        target[x] = 0
        continue
      }
      func divided(_ channel: UInt32) -> UInt32 {
        min(255, (channel * 255 + (rounds ? alpha / 2 : 0)) / alpha)
      }
      let blue = divided(pixel & 0xFF)
      let green = divided(pixel >> 8 & 0xFF)
      let red = divided(pixel >> 16 & 0xFF)
      target[x] = UInt32(littleEndian: alpha << 24 | red << 16 | green << 8 | blue)
    }
  }
}
