/// Converts planes of blue, green, red and alpha to pixels.
///
/// Unsafe pointers: see `YCbCrConversion`, which uses the same rows.
enum ChannelMerging {
  /// Makes a row of pixels.
  ///
  /// - Parameters:
  ///   - alpha: `nil` for opaque pixels. Colours are limited to alpha, because filters can make them larger.
  ///   - width: the number of pixels; they are written in whole groups of four.
  static func merge(
    blue: UnsafePointer<Int16>, green: UnsafePointer<Int16>, red: UnsafePointer<Int16>,
    alpha: UnsafePointer<Int16>?, to pixels: UnsafeMutablePointer<UInt32>, width: Int
  ) {
    let most = SIMD4<Int32>(repeating: 255)
    for x in stride(from: 0, to: width, by: 4) {
      let alpha = alpha.map { byte($0, x, most) } ?? most
      let value =
        byte(blue, x, alpha) | byte(green, x, alpha) &<< SIMD4(repeating: 8)
        | byte(red, x, alpha) &<< SIMD4(repeating: 16) | alpha &<< SIMD4(repeating: 24)
      UnsafeMutableRawPointer(pixels + x).storeBytes(of: value, as: SIMD4<Int32>.self)
    }
  }

  @inline(__always)
  private static func byte(
    _ row: UnsafePointer<Int16>, _ x: Int, _ most: SIMD4<Int32>
  ) -> SIMD4<Int32> {
    let half = SIMD4<Int32>(repeating: 1 << Int32(SamplePlane.fractionBits - 1))
    let value =
      (YCbCrConversion.load(row, x) &+ half) &>> SIMD4(repeating: Int32(SamplePlane.fractionBits))
    return pointwiseMin(pointwiseMax(value, .zero), most)
  }
}
