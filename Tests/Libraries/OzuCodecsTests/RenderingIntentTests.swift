import Foundation
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import Testing

@Suite("Rendering intent")
struct RenderingIntentTests {
  /// D50, D65, and the yellow of an old paper.
  static let whites = [[0.9642, 1, 0.8249], [0.9505, 1, 1.0891], [0.80, 0.82, 0.50]]
  /// Perceptual, relative colorimetric, saturation, absolute colorimetric.
  static let intents = 0...3

  /// White, a middle grey and black in sRGB.
  private func expect(_ profile: TableProfile, _ format: PixelFormat, _ expected: [Int]) throws {
    let source = Bitmap(size: PixelSize(3, 1)) { x, _ in
      let value: UInt8 = [255, 128, 0][x]
      return Pixel(red: value, green: value, blue: value)
    }
    let result = try #require(
      ColorConverter().convertToSRGB(
        source.converted(to: format), from: .profile(ICCProfile(name: nil, data: profile.data)),
        colorModel: .rgb, pool: .shared))
    let bytes = result.converted(to: .bgra8)
    for (x, expected) in expected.enumerated() {
      for channel in [bytes[x, 0].red, bytes[x, 0].green, bytes[x, 0].blue] {
        #expect(abs(Int(channel) - expected) <= 1, "\(bytes[x, 0])")
      }
    }
  }

  @Test(
    "is relative colorimetric: its own table, and the white of the medium is white", arguments: whites,
    [PixelFormat.bgra8, .rgba16])
  func relativeColorimetric(white: [Double], format: PixelFormat) throws {
    var profile = TableProfile(
      scannerWithPerceptual: .init(black: 0, white: 40), colorimetric: .init(black: 0))
    profile.mediaWhite = white
    // L* of 50.2 is 0.186 of white's light, which is 120 in sRGB.
    try expect(profile, format, [255, 120, 0])
  }

  @Test(
    "is relative colorimetric, whatever intent the profile's header names", arguments: intents, [UInt8(2), 4])
  func header(intent: Int, version: UInt8) throws {
    var profile = TableProfile(
      scannerWithPerceptual: .init(black: 20, white: 40), colorimetric: .init(black: 0))
    profile.mediaWhite = [0.80, 0.82, 0.50]
    profile.intent = intent
    profile.version = version
    try expect(profile, .bgra8, [255, 120, 0])
  }

  @Test("uses the perceptual table if there is no other", arguments: [PixelFormat.bgra8, .rgba16])
  func perceptualOnly(format: PixelFormat) throws {
    let profile = TableProfile(scannerWithPerceptual: .init(black: 0), colorimetric: nil)
    try expect(profile, format, [255, 120, 0])
  }
}
