import CCodecs
import Foundation
import OzuImaging
import OzuStandardCodecs
import Testing

@testable import OzuLibraryCodecs

@Suite("Black-point compensation")
struct BlackPointTests {
  /// A black that the bytes of a table can store exactly.
  private static let dark = TableProfile.Range(black: 20)

  /// Profiles whose black has an L* of 20, by the tables that they have.
  static let scanners: [String: TableProfile] = [
    "both tables": TableProfile(scannerWithPerceptual: .init(black: 0, white: 40), colorimetric: dark),
    "perceptual": TableProfile(scannerWithPerceptual: dark, colorimetric: nil),
    "colorimetric": TableProfile(scannerWithPerceptual: nil, colorimetric: dark),
    "grey": TableProfile(gray: dark),
  ]

  private func profile(_ table: TableProfile) -> ColorEncoding {
    .profile(ICCProfile(name: nil, data: table.data))
  }

  /// The light of an L* (CIE 1976).
  private func light(_ lightness: Double) -> Double {
    lightness > 8 ? pow((lightness + 16) / 116, 3) : lightness * 27 / 24389
  }

  /// The sRGB value of a fraction of white's light (IEC 61966-2-1).
  private func byte(_ light: Double) -> Double {
    255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
  }

  /// The greys from black to white in sRGB, in 8 bits.
  private func ramp(_ table: TableProfile, _ format: PixelFormat = .bgra8) throws -> [Pixel] {
    let source = Bitmap(size: PixelSize(256, 1)) { x, _ in
      Pixel(red: UInt8(x), green: UInt8(x), blue: UInt8(x))
    }
    let result = try #require(
      ColorConverter().convertToSRGB(
        source.converted(to: format), from: profile(table),
        colorModel: table.space == "GRAY" ? .gray : .rgb, pool: .shared))
    let bytes = result.converted(to: .bgra8)
    return (0..<256).map { bytes[$0, 0] }
  }

  @Test(
    "makes the darkest colour black and keeps white, by the formula of ISO 18619",
    arguments: scanners.keys.sorted(),
    [PixelFormat.bgra8, .rgba16])
  func scanner(kind: String, format: PixelFormat) throws {
    for version in [UInt8(2), 4] {
      var table = try #require(Self.scanners[kind])
      table.version = version
      let greys = try ramp(table, format)
      #expect(greys[0] == Pixel(red: 0, green: 0, blue: 0))
      #expect(greys[255] == Pixel(red: 255, green: 255, blue: 255))
      let black = light(20)
      for (value, pixel) in greys.enumerated() {
        let scaled = (light(20 + 80 * Double(value) / 255) - black) / (1 - black)
        for channel in [pixel.red, pixel.green, pixel.blue] {
          #expect(abs(Double(channel) - byte(scaled)) <= 1.5, "\(value) of version \(version)")
        }
      }
      for (a, b) in zip(greys, greys.dropFirst()) { #expect(a.red <= b.red && a.green <= b.green) }
    }
  }

  static let exact: [ColorEncoding] = [
    .coded(primaries: 12, transfer: 13), .coded(primaries: 9, transfer: 1), .coded(primaries: 1, transfer: 8),
    .calibrated(gamma: 2.2, chromaticities: .sRGB), .calibrated(gamma: 1.8, chromaticities: .sRGB),
  ]

  @Test(
    "does not change profiles of curves and a matrix, whose arithmetic is exact", arguments: exact,
    [OzuColorLayout.BGRA, .RGBA16, .gray, .gray16])
  func exactProfiles(encoding: ColorEncoding, layout: OzuColorLayout) throws {
    #expect(try !#require(ColorTransform(encoding, layout: layout)).movesBlack)
  }

  @Test("is not used if black is already black")
  func blackIsBlack() throws {
    let black = TableProfile(scannerWithPerceptual: .init(black: 0), colorimetric: .init(black: 0))
    let dark = try #require(Self.scanners["both tables"])
    #expect(try !#require(ColorTransform(profile(black), layout: .BGRA)).movesBlack)
    #expect(try #require(ColorTransform(profile(dark), layout: .BGRA)).movesBlack)
  }

  /// Darkest colours that are not black: too light, not darker than white, and lighter than another corner.
  static let degenerate: [String: TableProfile] = {
    var other = TableProfile(scannerWithPerceptual: nil, colorimetric: dark)
    // Full red.
    other.tables[0].corners[4].lightness = 0
    return [
      "a light black": TableProfile(scannerWithPerceptual: nil, colorimetric: .init(black: 60)),
      "a negative": TableProfile(scannerWithPerceptual: nil, colorimetric: .init(black: 100, white: 0)),
      "one grey": TableProfile(scannerWithPerceptual: nil, colorimetric: .init(black: 40, white: 40)),
      "another corner is darker": other,
    ]
  }()

  @Test(
    "is not used for profiles whose darkest colour is not a black",
    arguments: degenerate.keys.sorted())
  func noBlack(kind: String) throws {
    let table = try #require(Self.degenerate[kind])
    #expect(try !#require(ColorTransform(profile(table), layout: .BGRA)).movesBlack)
    let (black, white) = (table.tables[0].corners[0].lightness, table.tables[0].corners[7].lightness)
    let greys = try ramp(table)
    // Little CMS makes the last one white for every profile.
    for value in [0, 64, 128, 192] {
      let expected = byte(light(black + (white - black) * Double(value) / 255))
      #expect(abs(Double(greys[value].red) - expected) <= 1, "\(value)")
    }
  }
}
