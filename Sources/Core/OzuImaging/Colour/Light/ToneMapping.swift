import OzuBase

/// Converts PQ or HLG to sRGB, for a display that shows nothing brighter than white.
///
/// 1. Values become light of the display in candelas per square metre: by the EOTF of PQ, or by the inverse OETF
///    and the OOTF of HLG (ITU-R BT.2100), whose nominal peak is 1,000.
/// 2. The greatest of red, green and blue goes through the EETF of ITU-R BT.2390 (`ToneCurve`), and the others keep
///    their ratio to it: hue and saturation stay, and nothing is over the peak. The display's peak is 203, the
///    brightness of white in pictures of high dynamic range (BT.2408).
/// 3. Wide colours are mapped into sRGB (`GamutMapping`), and go through its curve.
///
/// The mapping happens at the size of the result, after the resize. PQ and HLG, like sRGB, are made so that equal
/// steps look equal: in a mean of PQ values, a lamp of 4,000 candelas has the weight that the eye gives it. In a
/// mean of light there would be only the lamp, with black rings of the filter around it. Mapping after the resize
/// costs work for the pixels of the result instead of those of the source; how much the two results differ was not
/// measured. If linear light was asked for, the light of the display is meant, so the picture is mapped before it
/// is resized.
struct ToneMapping: Sendable {
  /// The light of white in a `Bitmap`, in candelas per square metre (ITU-R BT.2408 §2.2).
  static let white = 203.0

  private let transfer: HighDynamicRange.Transfer
  /// The light of each 16-bit value, as a fraction of the source's peak; scene light for HLG.
  private let lights: [Float]
  /// The factors that light is multiplied by, indexed by the fourth root of its greatest component.
  private let gains: [Float]
  private let gamut: GamutMapping
  /// The factor from fractions of the source's peak to fractions of the picture's peak, which index the table.
  private let exposure: Float
  private let luminance: SIMD4<Float>

  private static let gainCount = 4096

  /// `nil` for unknown primaries.
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
      // From here on, light of 1 is the display's peak.
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

  /// The sRGB values in 16 bits for values of the source. The fourth number is ignored.
  @inline(__always)
  func callAsFunction(_ words: SIMD4<UInt32>) -> SIMD4<UInt32> {
    SRGBCurve.words(gamut(mapped(words)))
  }

  /// Light of the display, 0 to 1, with the primaries of the source.
  @inline(__always)
  private func mapped(_ words: SIMD4<UInt32>) -> SIMD4<Float> {
    // Words are below 65,536, the number of entries of the table.
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
    // Light above the peak becomes as bright as the peak.
    if greatest > 1 { return light * (gain(1) / greatest) }
    return light * gain(greatest)
  }

  @inline(__always)
  private func gain(_ light: Float) -> Float {
    let position = light.squareRoot().squareRoot() * Float(Self.gainCount)
    let index = Int(position)
    let rest = position - Float(index)
    // The position is 0 to `gainCount`, and the table has one entry more.
    return gains.withUnsafeBufferPointer { $0[index] + ($0[index + 1] - $0[index]) * rest }
  }
}

extension ToneMapping {
  /// The picture in sRGB.
  ///
  /// - Parameters:
  ///   - bitmap: in any format; colours are divided by alpha before the mapping and multiplied by it after.
  ///   - format: the format of the result: `bgra8` or `rgba16`.
  /// - Complexity: O(pixels).
  func convert(_ bitmap: Bitmap, to format: PixelFormat, pool: PixelBufferPool) -> Bitmap {
    precondition(format != .gray8, "a format with colours")
    let width = bitmap.size.width
    return Bitmap(size: bitmap.size, format: format, isOpaque: bitmap.isOpaque, pool: pool) {
      target, targetBytesPerRow in
      bitmap.withUnsafeBytes { source in
        for y in 0..<bitmap.size.height {
          // Rows lie inside the bytes of either bitmap, `width` pixels of its format long.
          let from = UnsafeRawBufferPointer(rebasing: source[(y * bitmap.bytesPerRow)...])
          let to = UnsafeMutableRawBufferPointer(rebasing: target[(y * targetBytesPerRow)...])
          // Neighbouring pixels are often equal, as in skies, drawings and borders; the last result is reused.
          var last = SIMD4<UInt32>(repeating: .max)
          var result = SIMD4<UInt32>.zero
          for x in 0..<width {
            let pixel = from.words(x, bitmap.format)
            if pixel != last {
              last = pixel
              result = mapped(pixel)
            }
            to.store(result, x, format)
          }
        }
      }
    }
  }

  /// Maps a pixel of 16 bits; colours are divided by alpha before and multiplied after.
  @inline(__always)
  private func mapped(_ pixel: SIMD4<UInt32>) -> SIMD4<UInt32> {
    let alpha = pixel.w
    if alpha == 65_535 {
      var result = self(pixel)
      result.w = alpha
      return result
    }
    guard alpha > 0 else { return .zero }
    let (one, alphas) = (SIMD4<UInt32>(repeating: 65_535), SIMD4<UInt32>(repeating: alpha))
    let rounded = pixel &* one &+ SIMD4<UInt32>(repeating: alpha / 2)
    let straight = self(pointwiseMin(rounded / alphas, one))
    var result = (straight &* alphas &+ SIMD4<UInt32>(repeating: 32_767)) / one
    result.w = alpha
    return result
  }
}

/// Maps the brightness of a picture to that of a display, by the EETF of ITU-R BT.2390-11 §5.4.1.
///
/// All values are PQ values, relative to the peak of the picture. Below a knee, at 1.5 times the display's peak
/// minus 0.5, nothing changes; above it a Hermite spline leads to the peak of the display. The black level of both
/// is 0, so the part of the EETF that lifts blacks has no effect.
struct ToneCurve: Hashable, Sendable {
  /// The brightest light of the picture, in candelas per square metre.
  let sourcePeak: Double
  /// The brightest light of the display.
  let targetPeak: Double

  /// The display's light for some light of the picture. Light above the peak of the picture counts as that peak.
  func callAsFunction(_ light: Double) -> Double {
    guard sourcePeak > targetPeak else { return min(light, targetPeak) }
    let whole = PerceptualQuantizer.value(sourcePeak)
    let most = PerceptualQuantizer.value(targetPeak) / whole
    let value = min(PerceptualQuantizer.value(light) / whole, 1)
    let knee = 1.5 * most - 0.5
    guard value >= knee else { return light }
    let t = (value - knee) / (1 - knee)
    let square = t * t
    let cube = square * t
    let result =
      (2 * cube - 3 * square + 1) * knee + (cube - 2 * square + t) * (1 - knee)
      + (3 * square - 2 * cube) * most
    return PerceptualQuantizer.light(result * whole)
  }
}

extension ToneMapping {
  private struct Key: Hashable {
    let range: HighDynamicRange
    let peak: Double
  }

  /// Making a mapping takes as long as mapping some thousands of pixels.
  private static let recent = RecentValues<Key, ToneMapping>(countLimit: 8)

  /// A mapping, a recently used one or made now; `nil` for unknown primaries.
  static func cached(_ range: HighDynamicRange, peak: Double) -> ToneMapping? {
    let key = Key(range: range, peak: peak)
    if let known = recent.value(for: key) { return known }
    guard let mapping = ToneMapping(range, peak: peak) else { return nil }
    recent.insert(mapping, for: key)
    return mapping
  }
}
