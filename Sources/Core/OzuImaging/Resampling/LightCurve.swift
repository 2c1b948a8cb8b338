import OzuBase

/// The transfer function of 16-bit pixels that are resampled in linear light, both ways.
struct LightCurve: Sendable {
  /// The light of each value, on a scale to 65,535.
  private let lights: [Float]
  private let inverse: @Sendable (Double) -> Double

  private init(
    light: (Double) -> Double, value: @escaping @Sendable (Double) -> Double
  ) {
    lights = (0...65_535).map { Float(light(Double($0) / 65_535) * 65_535) }
    inverse = value
  }

  private static let sRGB = LightCurve(light: SRGBCurve.light, value: SRGBCurve.value)
  private static let perceptualQuantizer = LightCurve(
    light: { PerceptualQuantizer.light($0) / PerceptualQuantizer.peak },
    value: { PerceptualQuantizer.value($0 * PerceptualQuantizer.peak) })
  private static let hybridLogGamma = LightCurve(
    light: HybridLogGamma.sceneLight, value: HybridLogGamma.value)

  /// The curve of a picture's colour space; that of sRGB for an ICC profile.
  static func of(_ space: ColorSpaceTag) -> LightCurve {
    guard case .coded(_, let transfer) = space else { return sRGB }
    switch transfer {
    case 4: return LightCurve(light: { pow($0, 2.2) }, value: { pow($0, 1 / 2.2) })
    case 5: return LightCurve(light: { pow($0, 2.8) }, value: { pow($0, 1 / 2.8) })
    case 8: return LightCurve(light: { $0 }, value: { $0 })
    case 16: return perceptualQuantizer
    case 17: return LightCurve(light: { pow($0, 2.6) }, value: { pow($0, 1 / 2.6) })
    case 18: return hybridLogGamma
    default: return sRGB
    }
  }

  /// The light of a pixel, premultiplied, on a scale to 65,535.
  @inline(__always)
  func light(_ pixel: SIMD4<UInt16>) -> SIMD4<Float> {
    let alpha = Float(pixel.w)
    guard pixel.w < 65_535 else { return SIMD4(light(pixel.x), light(pixel.y), light(pixel.z), alpha) }
    guard pixel.w > 0 else { return .zero }
    func part(_ value: UInt16) -> Float {
      light(UInt16(min(65_535, Float(value) * 65_535 / alpha + 0.5))) * alpha / 65_535
    }
    return SIMD4(part(pixel.x), part(pixel.y), part(pixel.z), alpha)
  }

  @inline(__always)
  private func light(_ value: UInt16) -> Float {
    // The table has an entry for each value.
    lights.withUnsafeBufferPointer { $0[Int(value)] }
  }

  /// The pixel for premultiplied light on a scale to 65,535.
  func value(_ light: SIMD4<Float>) -> SIMD4<Float> {
    let alpha = max(0, min(light.w, 65_535))
    guard alpha > 0 else { return .zero }
    func part(_ light: Float) -> Float { Float(inverse(Double(max(0, min(light / alpha, 1))))) * alpha }
    return SIMD4(part(light.x), part(light.y), part(light.z), alpha)
  }
}
