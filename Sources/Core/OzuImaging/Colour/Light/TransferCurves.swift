import OzuBase

/// The PQ curve (SMPTE ST 2084; ITU-R BT.2100, table 4): from values of 0 to 1 to candelas per square metre.
enum PerceptualQuantizer {
  /// The light of the value 1.
  static let peak = 10_000.0

  private static let m1 = 2610.0 / 16_384
  private static let m2 = 2523.0 / 4096 * 128
  private static let c1 = 3424.0 / 4096
  private static let c2 = 2413.0 / 4096 * 32
  private static let c3 = 2392.0 / 4096 * 32

  /// The light of a value, in candelas per square metre.
  static func light(_ value: Double) -> Double {
    let power = pow(min(max(value, 0), 1), 1 / m2)
    return peak * pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1)
  }

  /// The value of an amount of light.
  static func value(_ light: Double) -> Double {
    let power = pow(min(max(light / peak, 0), 1), m1)
    return pow((c1 + c2 * power) / (1 + c3 * power), m2)
  }
}

/// The HLG curve (ITU-R BT.2100, table 5).
enum HybridLogGamma {
  /// The peak of the display for which HLG is nominally shown, in candelas per square metre.
  static let peak = 1000.0
  /// The exponent of the conversion from scene light to display light (OOTF), for that peak.
  static let gamma = 1.2

  private static let a = 0.17883277
  private static let b = 1 - 4 * a
  private static let c = 0.5 - a * log(4 * a)

  /// The scene light of a value, 0 to 1.
  static func sceneLight(_ value: Double) -> Double {
    let value = min(max(value, 0), 1)
    return value <= 0.5 ? value * value / 3 : (exp((value - c) / a) + b) / 12
  }

  /// The value of an amount of scene light.
  static func value(_ light: Double) -> Double {
    let light = min(max(light, 0), 1)
    return light <= 1.0 / 12 ? (3 * light).squareRoot() : a * log(12 * light - b) + c
  }
}

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
