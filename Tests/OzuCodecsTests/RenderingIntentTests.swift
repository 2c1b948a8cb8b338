import Foundation
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import Testing

@Suite("Rendering intent")
struct RenderingIntentTests {
  /// D50, D65, and the yellow of an old paper.
  static let whites = [[0.9642, 1, 0.8249], [0.9505, 1, 1.0891], [0.80, 0.82, 0.50]]

  /// White, a middle grey and black in sRGB.
  private func greys(_ profile: LookupProfile, _ format: PixelFormat) throws -> [Pixel] {
    let source = Bitmap(size: PixelSize(3, 1)) { x, _ in
      let value: UInt8 = [255, 128, 0][x]
      return Pixel(red: value, green: value, blue: value)
    }
    let result = try #require(
      ColorConverter().convertToSRGB(
        source.converted(to: format), from: .profile(ICCProfile(name: nil, data: profile.data)),
        colorModel: .rgb, pool: .shared))
    let bytes = result.converted(to: .bgra8)
    return (0..<3).map { bytes[$0, 0] }
  }

  @Test(
    "is relative colorimetric: its own table, and the white of the medium is white", arguments: whites,
    [PixelFormat.bgra8, .rgba16])
  func relativeColorimetric(white: [Double], format: PixelFormat) throws {
    let profile = LookupProfile(perceptualLightness: 40, colorimetricLightness: 100, mediaWhite: white)
    // L* of 50.2 is 0.186 of the light of white, which is 120 in sRGB.
    for (pixel, expected) in zip(try greys(profile, format), [255, 120, 0]) {
      for channel in [pixel.red, pixel.green, pixel.blue] {
        #expect(abs(Int(channel) - expected) <= 1, "\(pixel)")
      }
    }
  }
}
