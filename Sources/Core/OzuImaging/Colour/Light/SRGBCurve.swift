import OzuBase

/// The curve of sRGB in 16 bits (IEC 61966-2-1).
enum SRGBCurve {
  /// The light of a value of 0 to 1.
  static func light(_ value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  /// The value of light of 0 to 1.
  static func value(_ light: Double) -> Double {
    light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
  }

  /// The value for each of 4096 square roots of light, in units of 1/65,535. Linear interpolation between them is
  /// exact to one unit, because the curve is nearly straight in the square root.
  private static let table: [Float] =
    (0...4096).map { step in
      let root = Double(step) / 4096
      return Float(value(root * root) * 65_535)
    } + [65_535]

  /// The 16-bit values of light of 0 to 1.
  @inline(__always)
  static func words(_ light: SIMD4<Float>) -> SIMD4<UInt32> {
    let position = light.limited(to: .one).squareRoot() * 4096
    return table.withUnsafeBufferPointer { table in
      // Positions are 0 to 4096, and the table has one entry more.
      @inline(__always)
      func value(_ position: Float) -> Float {
        let index = Int(position)
        let (low, high) = (table[index], table[index + 1])
        return low + (high - low) * (position - Float(index))
      }
      return SIMD4(value(position.x), value(position.y), value(position.z), 0).words
    }
  }
}
