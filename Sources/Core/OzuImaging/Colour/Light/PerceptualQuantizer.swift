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
