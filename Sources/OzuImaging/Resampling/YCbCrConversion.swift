/// From luma and chroma to pixels, in the full range of JFIF (ITU-T T.871 §7): the same equations as BT.601 with
/// black at 0 and white at 255.
///
/// The chroma of a pixel is a word of two numbers, and a channel the sum of their products with two constants:
/// the shape that is one instruction on any x86-64 (see `PixelWord`). Constants have 14 bits behind the point.
///
/// Unsafe pointers. Why every index is in bounds: pixels are made four at a time, and rows of samples
/// (`PlaneRun.padded`) and of bitmaps (a multiple of 16 bytes) hold whole groups of four.
struct YCbCrConversion {
  private static let red = pair(blueDifference: 0, redDifference: 22_970)
  private static let green = pair(blueDifference: -5638, redDifference: -11_700)
  private static let blue = pair(blueDifference: 29_032, redDifference: 0)
  private static let shift = Int32(14 + SamplePlane.fractionBits)
  private static let opaque = SIMD4<UInt32>(repeating: 0xFF00_0000)

  private static func pair(blueDifference: Int32, redDifference: Int32) -> Int32 {
    blueDifference & 0xFFFF | redDifference << 16
  }

  /// Makes a row of opaque pixels.
  ///
  /// - Parameters:
  ///   - luma: a row of samples, as are the chroma rows.
  ///   - width: the pixels; up to a whole group of four are written.
  static func convert(
    luma: UnsafePointer<Int16>, blue: UnsafePointer<Int16>, red: UnsafePointer<Int16>,
    to pixels: UnsafeMutablePointer<UInt32>, width: Int
  ) {
    let neutral = SIMD4<Int32>(repeating: 128 << Int32(SamplePlane.fractionBits))
    for x in stride(from: 0, to: width, by: 4) {
      let base = (load(luma, x) &<< 14) &+ SIMD4(repeating: 1 << (shift - 1))
      let chroma = PixelWord(load(blue, x) &- neutral, load(red, x) &- neutral)
      store(
        channel(chroma.multiplied(by: Self.red, addedTo: base)),
        channel(chroma.multiplied(by: green, addedTo: base)),
        channel(chroma.multiplied(by: Self.blue, addedTo: base)), to: pixels + x)
    }
  }

  /// Makes a row of opaque grey pixels.
  static func convert(luma: UnsafePointer<Int16>, to pixels: UnsafeMutablePointer<UInt32>, width: Int) {
    for x in stride(from: 0, to: width, by: 4) {
      let gray = channel((load(luma, x) &<< 14) &+ SIMD4(repeating: 1 << (shift - 1)))
      store(gray, gray, gray, to: pixels + x)
    }
  }

  @inline(__always)
  private static func load(_ row: UnsafePointer<Int16>, _ x: Int) -> SIMD4<Int32> {
    SIMD4<Int32>(
      truncatingIfNeeded: UnsafeRawPointer(row + x).loadUnaligned(as: SIMD4<Int16>.self))
  }

  @inline(__always)
  private static func channel(_ sum: SIMD4<Int32>) -> SIMD4<UInt32> {
    let value = sum &>> SIMD4(repeating: shift)
    return SIMD4<UInt32>(
      truncatingIfNeeded: pointwiseMin(pointwiseMax(value, .zero), SIMD4(repeating: 255)))
  }

  @inline(__always)
  private static func store(
    _ red: SIMD4<UInt32>, _ green: SIMD4<UInt32>, _ blue: SIMD4<UInt32>,
    to pixels: UnsafeMutablePointer<UInt32>
  ) {
    let value = opaque | red &<< SIMD4(repeating: 16) | green &<< SIMD4(repeating: 8) | blue
    UnsafeMutableRawPointer(pixels).storeBytes(of: value, as: SIMD4<UInt32>.self)
  }
}
