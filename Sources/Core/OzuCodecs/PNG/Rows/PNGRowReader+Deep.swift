import OzuImaging

/// Pixels of files of 16 bits: all bits, or the upper eight, as libpng cuts them (`png_set_strip_16`).
///
/// Unsafe pointers: a row has the bytes that its layout needs for `width` pixels, and the margin of `PNGUnfilter` after them;
/// targets have room for as many pixels of their format.
extension PNGRowReader {
  /// Reads the next row of a file of 16 bits as pixels of `rgba16`; false when libpng has to decode the file.
  func readDeep(into row: UnsafeMutableRawPointer, width: Int, alpha: Alpha) -> Bool {
    guard let source = next() else { return false }
    makeDeep(UnsafeRawPointer(source), row, width)
    if !isOpaque, alpha == .premultiplied { Premultiplication.applyWide(to: row, width: width) }
    return true
  }

  private func makeDeep(_ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ width: Int) {
    typealias Words = SIMD4<UInt16>
    // The fourth word of a pixel without alpha belongs to the next one, or to the margin, and becomes opaque.
    let opaque = Words(0, 0, 0, .max)
    switch layout {
    case .rgb:
      for x in 0..<width {
        let words = Self.native(source.loadUnaligned(fromByteOffset: 6 &* x, as: Words.self))
        target.storeBytes(of: words | opaque, toByteOffset: 8 &* x, as: Words.self)
      }
    case .rgbAlpha:
      for x in 0..<width {
        let words = Self.native(source.loadUnaligned(fromByteOffset: 8 &* x, as: Words.self))
        target.storeBytes(of: words, toByteOffset: 8 &* x, as: Words.self)
      }
    case .gray:
      for x in 0..<width {
        let gray = UInt16(bigEndian: source.loadUnaligned(fromByteOffset: 2 &* x, as: UInt16.self))
        target.storeBytes(of: Words(repeating: gray) | opaque, toByteOffset: 8 &* x, as: Words.self)
      }
    case .grayAlpha:
      for x in 0..<width {
        let gray = UInt16(bigEndian: source.loadUnaligned(fromByteOffset: 4 &* x, as: UInt16.self))
        let alpha = UInt16(bigEndian: source.loadUnaligned(fromByteOffset: 4 &* x &+ 2, as: UInt16.self))
        target.storeBytes(of: Words(gray, gray, gray, alpha), toByteOffset: 8 &* x, as: Words.self)
      }
    // A file with a palette never has 16 bits.
    case .indexed: break
    }
  }

  /// Makes words of BGRA from the high bytes. Alpha is not premultiplied.
  func convertDeep(_ row: UnsafePointer<UInt8>, to pixels: UnsafeMutablePointer<UInt32>, width: Int) {
    let isGray: Bool
    let step: Int
    switch layout {
    case .gray: (isGray, step) = (true, 2)
    case .grayAlpha: (isGray, step) = (true, 4)
    case .rgb: (isGray, step) = (false, 6)
    case .rgbAlpha: (isGray, step) = (false, 8)
    case .indexed: return
    }
    let (green, blue) = isGray ? (0, 0) : (2, 4)
    let isOpaque = isOpaque
    for x in 0..<width {
      let pixel = row + x &* step
      let alpha = isOpaque ? 255 : UInt32(pixel[step &- 2])
      pixels[x] = UInt32(
        littleEndian: UInt32(pixel[blue]) | UInt32(pixel[green]) << 8 | UInt32(pixel[0]) << 16 | alpha << 24)
    }
  }

  /// Converts words with the high byte first to words of the machine.
  @inline(__always)
  private static func native(_ words: SIMD4<UInt16>) -> SIMD4<UInt16> {
    #if _endian(little)
      words &<< SIMD4(repeating: 8) | words &>> SIMD4(repeating: 8)
    #else
      words
    #endif
  }
}
