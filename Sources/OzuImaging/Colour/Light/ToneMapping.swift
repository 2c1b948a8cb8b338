#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// From PQ or HLG to sRGB, for a display that has nothing brighter than white.
///
/// 1. Values become light of the display in candelas per square metre: by the EOTF of PQ, or by the inverse OETF and the OOTF
///    of HLG (ITU-R BT.2100), whose nominal peak is 1,000.
/// 2. The greatest of red, green and blue goes through the EETF of ITU-R BT.2390 (`ToneCurve`), and the others keep
///    their proportions to it: hue and saturation stay, and nothing is over the peak. The display's peak is 203, the
///    brightness of white in pictures of high dynamic range (BT.2408).
/// 3. Colours of wide primaries are brought into sRGB (`GamutMapping`), and go through its curve.
///
/// It works at the size of the result, after the resize. PQ and HLG, like sRGB, are made so that equal steps look equal; a
/// mean of PQ values weighs a lamp of 4,000 as the eye does. A mean of light would be the lamp and nothing else, and the
/// filters' rings around it would be black. How far the result is from a resize of the mapped picture was not measured; it
/// takes the work of the result's pixels instead of the source's. Where linear light was asked for, that of the display is
/// meant, so that
/// the picture is mapped before it is resized.
struct ToneMapping: Sendable {
  /// What `Bitmap` calls white, in candelas per square metre (ITU-R BT.2408 §2.2).
  static let white = 203.0

  private let transfer: HighDynamicRange.Transfer
  /// The light of each value in 16 bits, as a part of the source's peak; that of the scene for HLG.
  private let lights: [Float]
  /// What light is multiplied by, for the fourth root of its greatest component.
  private let gains: [Float]
  private let gamut: GamutMapping
  /// What a part of the peak is multiplied by before the table: its unit is the peak of the picture.
  private let exposure: Float
  private let luminance: SIMD4<Float>

  private static let gainCount = 4096

  /// `nil` for primaries that are not known.
  init?(_ range: HighDynamicRange, peak: Double) {
    guard let chromaticities = Chromaticities(primaries: range.primaries),
      let gamut = GamutMapping(chromaticities), let xyz = chromaticities.toXYZ
    else { return nil }
    self.gamut = gamut
    transfer = range.transfer
    luminance = SIMD4(Float(xyz.red.y), Float(xyz.green.y), Float(xyz.blue.y), 0)
    let isHLG = range.transfer == .hybridLogGamma
    lights = isHLG ? Self.sceneLights : Self.quantizedLights
    let peak = isHLG ? HybridLogGamma.peak : peak
    exposure = Float((isHLG ? HybridLogGamma.peak : PerceptualQuantizer.peak) / peak)
    let curve = ToneCurve(sourcePeak: peak, targetPeak: Self.white)
    gains = (0...Self.gainCount + 1).map { step in
      let root = Double(max(step, 1)) / Double(Self.gainCount)
      let light = root * root * root * root * peak
      // Light of 1 is the whole of the display's from here on.
      return Float(curve(light) / light * peak / Self.white)
    }
  }

  /// Tables of a transfer function, made once: 65,536 powers take some milliseconds.
  private static let quantizedLights: [Float] = (0...65_535).map {
    Float(PerceptualQuantizer.light(Double($0) / 65_535) / PerceptualQuantizer.peak)
  }
  private static let sceneLights: [Float] = (0...65_535).map {
    Float(HybridLogGamma.sceneLight(Double($0) / 65_535))
  }

  /// The values of sRGB in 16 bits for those of the source; of the four the last does not count.
  @inline(__always)
  func callAsFunction(_ words: SIMD4<UInt32>) -> SIMD4<UInt32> {
    SRGBCurve.words(gamut(mapped(words)))
  }

  /// Light of the display, 0 to 1, under the primaries of the source.
  @inline(__always)
  private func mapped(_ words: SIMD4<UInt32>) -> SIMD4<Float> {
    // Words are below 65,536, as many as the table has.
    var light = lights.withUnsafeBufferPointer {
      SIMD4<Float>($0[Int(words.x)], $0[Int(words.y)], $0[Int(words.z)], 0)
    }
    if transfer == .hybridLogGamma {
      let luminance = (light * self.luminance).sum()
      light *= luminance > 0 ? powf(luminance, Float(HybridLogGamma.gamma - 1)) : 0
    }
    light *= exposure
    let greatest = max(light.x, max(light.y, light.z))
    guard greatest > 0 else { return .zero }
    // What is brighter than the peak becomes as bright as the peak.
    if greatest > 1 { return light * (gain(1) / greatest) }
    return light * gain(greatest)
  }

  @inline(__always)
  private func gain(_ light: Float) -> Float {
    let position = light.squareRoot().squareRoot() * Float(Self.gainCount)
    let index = Int(position)
    let rest = position - Float(index)
    // The position is 0 to `gainCount`, and there is an entry behind that.
    return gains.withUnsafeBufferPointer { $0[index] + ($0[index + 1] - $0[index]) * rest }
  }
}
