import Foundation
import Testing

@testable import OzuImaging

@Suite("Tone mapping")
struct ToneMappingTests {
  private static let pq = HighDynamicRange(primaries: 9, transfer: 16)!

  private static func double(_ color: SIMD4<Float>) -> SIMD3<Double> {
    SIMD3(Double(color.x), Double(color.y), Double(color.z))
  }

  private func mapped(
    _ red: Double, _ green: Double, _ blue: Double, peak: Double = 1000, _ range: HighDynamicRange = pq
  )
    throws -> SIMD4<UInt32>
  {
    let mapping = try #require(ToneMapping(range, peak: peak))
    func word(_ light: Double) -> UInt32 { UInt32(PerceptualQuantizer.value(light) * 65_535 + 0.5) }
    return mapping(SIMD4(word(red), word(green), word(blue), 65_535))
  }

  @Test(
    "has the curve of ST 2084",
    arguments: [(0, 0), (0.508078, 100), (0.751827, 1000), (1, 10_000)] as [(Double, Double)])
  func quantizer(value: Double, light: Double) {
    #expect(abs(PerceptualQuantizer.light(value) - light) <= light * 0.001)
    #expect(abs(PerceptualQuantizer.value(light) - value) < 0.0001)
  }

  @Test(
    "has the curve of BT.2100 for HLG",
    arguments: [(0, 0), (0.5, 1.0 / 12), (0.75, 0.26496256), (1, 1)] as [(Double, Double)])
  func hybrid(value: Double, light: Double) {
    #expect(abs(HybridLogGamma.sceneLight(value) - light) < 0.0001)
    #expect(abs(HybridLogGamma.value(light) - value) < 0.0001)
  }

  @Test("does not change light below the knee, rises to the display's peak and never falls")
  func curve() {
    let curve = ToneCurve(sourcePeak: 1000, targetPeak: 203)
    #expect(curve(50) == 50)
    #expect(abs(curve(1000) - 203) < 0.01 && abs(curve(5000) - 203) < 0.01)
    var last = -1.0
    for step in 0...2000 {
      let light = curve(Double(step) / 2)
      #expect(light >= last)
      last = light
    }
    // The knee, at 87.8, has no corner: below it the slope is 1.
    #expect(abs((curve(88.5) - curve(87.5)) - 1) < 0.02)
    #expect(ToneCurve(sourcePeak: 203, targetPeak: 203)(203) == 203)
  }

  @Test("keeps greys grey, and white of a picture without highlights white")
  func greys() throws {
    for light in [0.0, 0.1, 5, 50, 203, 1000, 10_000] {
      let result = try mapped(light, light, light)
      #expect(
        result.x.distance(to: result.y).magnitude < 40 && result.y.distance(to: result.z).magnitude < 40,
        "\(light)")
    }
    let white = try mapped(203, 203, 203, peak: 203)
    #expect(white.x > 65_500 && white.y > 65_500 && white.z > 65_500)
    #expect(try mapped(1000, 1000, 1000).y > 65_500)
    #expect(try mapped(0, 0, 0) == SIMD4(0, 0, 0, 0))
  }

  @Test("keeps luminance and the direction from grey of wide colours", arguments: [9, 12])
  func colors(primaries: Int) throws {
    let chromaticities = try #require(Chromaticities(primaries: primaries))
    let mapping = try #require(GamutMapping(chromaticities))
    let (toXYZ, fromXYZ) = (
      try #require(chromaticities.toXYZ), try #require(Chromaticities.sRGB.toXYZ?.inverse)
    )
    let toSRGB = fromXYZ * toXYZ
    for source in [
      SIMD3(1.0, 0, 0), SIMD3(0, 0.7, 0), SIMD3(0, 0, 0.9), SIMD3(0.2, 0.9, 0), SIMD3(0.3, 0.28, 0.25),
    ] {
      let plain = toSRGB * source
      let result = Self.double(mapping(SIMD4<Float>(SIMD4(source, 0))))
      let weights = SIMD3(0.2126, 0.7152, 0.0722)
      let gray = (plain * weights).sum()
      #expect(abs((result * weights).sum() - gray) < 0.001)
      // The direction from grey is the same, the distance is smaller.
      let (before, after) = (plain - gray, result - gray)
      let share = (after * before).sum() / (before * before).sum()
      #expect(share <= 1.0001 && share > 0.3)
      let rest = after - before * share
      #expect((rest * rest).sum().squareRoot() < 0.001)
      if source.min() > 0 { #expect(abs(share - 1) < 0.001) }
    }
  }

  @Test(
    "keeps neighbouring colours outside of sRGB different, where clipping would make them equal",
    arguments: [0, 1, 2])
  func smooth(channel: Int) throws {
    let chromaticities = try #require(Chromaticities(primaries: 9))
    let mapping = try #require(GamutMapping(chromaticities))
    var last = mapping(SIMD4<Float>(0.5, 0.5, 0.5, 0))
    for step in 1...100 {
      var source = SIMD4<Float>(repeating: 0.5 - Float(step) / 200)
      source[channel] = 0.5
      let result = mapping(source)
      let difference = result - last
      let distance = (difference * difference).sum().squareRoot()
      #expect(distance > 0.0002 && distance < 0.05, "\(step)")
      last = result
    }
  }

  @Test(
    "uses a plausible peak, and notes other values",
    arguments: [
      (LightLevels(maximumContent: 600), 600.0, 0), (LightLevels(maximumContent: 100), 203, 0),
      (LightLevels(maximumContent: 0), 1000, 2), (LightLevels(maximumContent: 1e9), 1000, 2),
      (LightLevels(maximumContent: 0, masteringPeak: 4000), 4000, 0),
      (LightLevels(maximumContent: -3, masteringPeak: .nan), 1000, 3), (nil, 1000, 1),
    ] as [(LightLevels?, Double, Int)])
  func peaks(levels: LightLevels?, peak: Double, noteCount: Int) {
    let result = LightLevels.peak(of: levels)
    #expect(result.peak == peak)
    #expect(result.notes.count == noteCount, "\(result.notes)")
  }

  @Test(
    "has no creases, at which a smooth picture would show lines", arguments: [9, 12],
    [0.2, 0.5, 1] as [Float])
  func creases(primaries: Int, brightness: Float) throws {
    let chromaticities = try #require(Chromaticities(primaries: primaries))
    let mapping = try #require(GamutMapping(chromaticities))
    let steps = 1000
    for (first, second) in [
      (SIMD4<Float>(1, 0, 0, 0), SIMD4<Float>(0, 0, 1, 0)), (SIMD4(0, 1, 0, 0), SIMD4(1, 0, 1, 0)),
      (SIMD4(1, 0.9, 0, 0), SIMD4(0, 1, 1, 0)),
    ] {
      let colors = (0...steps).map { step in
        let share = Float(step) / Float(steps)
        return mapping((first * (1 - share) + second * share) * brightness)
      }
      for step in 1..<steps {
        // How much the slope changes between neighbours.
        let change = (colors[step - 1] - 2 * colors[step] + colors[step + 1]) * Float(steps)
        #expect(max(change.x, change.y, change.z) < 1 && min(change.x, change.y, change.z) > -1, "\(step)")
      }
    }
  }

  @Test("multiplies by alpha again, and is the same in 8 bits")
  func alpha() throws {
    let mapping = try #require(ToneMapping(Self.pq, peak: 1000))
    let opaque = Bitmap(size: PixelSize(1, 1), isOpaque: true) { _, _ in
      Pixel(red: 120, green: 100, blue: 80, alpha: 255)
    }
    let half = Bitmap(size: PixelSize(1, 1), isOpaque: false) { _, _ in
      Pixel(red: 60, green: 50, blue: 40, alpha: 128)
    }
    let (whole, part) = (
      mapping.convert(opaque, to: .bgra8, pool: .shared), mapping.convert(half, to: .bgra8, pool: .shared)
    )
    #expect(part[0, 0].alpha == 128)
    #expect(abs(Int(part[0, 0].red) * 2 - Int(whole[0, 0].red)) <= 3)
    #expect(whole.colorSpace == .sRGB)
  }

  @Test("is done for bitmaps under PQ or HLG that a toolkit shows, and for no others")
  func toolkits() {
    func bitmap(_ colorSpace: ColorSpaceTag, _ format: PixelFormat) -> Bitmap {
      Bitmap(size: PixelSize(2, 1), isOpaque: true) { _, _ in Pixel(red: 148, green: 148, blue: 148) }
        .converted(to: format).withColorSpace(colorSpace)
    }
    for format in [PixelFormat.bgra8, .rgba16] {
      for transfer in [16, 18] {
        let source = bitmap(.coded(primaries: 9, transfer: transfer), format)
        let mapped = source.toneMapped()
        #expect(mapped.colorSpace == .sRGB && mapped.format == format && mapped != source)
      }
      // 148 of 255 under PQ are a little more than white; with a peak of 1,000 it is darker than that.
      let pq = bitmap(.coded(primaries: 9, transfer: 16), format).toneMapped()[1, 0]
      #expect(200...250 ~= pq.red && pq.red == pq.blue)
      for colorSpace in [ColorSpaceTag.sRGB, .coded(primaries: 12, transfer: 13), .icc(name: "P3")] {
        #expect(bitmap(colorSpace, format).toneMapped() == bitmap(colorSpace, format))
      }
    }
  }

  @Test("rounds to 16 bits, and stays in this range for every input")
  func words() {
    let numbers = SIMD4<Float>(0.4, 0.6, 65_534.6, -3).limited(to: SIMD4(repeating: 65_535))
    #expect(numbers.w == 0 && numbers.z == 65_534.6)
    #expect(numbers.words == SIMD4(0, 1, 65_535, 0))
    for odd in [Float.nan, .infinity, -.infinity, 1e30, -1] {
      #expect(SIMD4<Float>(repeating: odd).words.max() <= 65_535)
    }
    for value in stride(from: 0, through: 65_535, by: 13) {
      #expect(SIMD4<Float>(repeating: Float(value)).words == SIMD4(repeating: UInt32(value)))
    }
  }
}
