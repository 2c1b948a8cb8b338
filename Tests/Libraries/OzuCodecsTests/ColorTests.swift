import Foundation
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs
import Testing

@Suite("Colours")
struct ColorTests {
  private let codecs = CodecRegistry.standard
  private let displayP3 = "icc/display-p3-two-segments-reversed.jpg"

  /// Full green of Display P3, which lies outside sRGB, and half grey.
  private func pixels(_ encoding: ColorEncoding, isOpaque: Bool = true) -> Bitmap? {
    let source = Bitmap(size: PixelSize(2, 1), isOpaque: isOpaque) { x, _ in
      x == 0 ? Pixel(red: 200, green: 100, blue: 50) : Pixel(red: 128, green: 128, blue: 128)
    }
    return ColorConverter().convertToSRGB(source, from: encoding, colorModel: .rgb, pool: .shared)
  }

  @Test("under a profile become sRGB, or stay as stored with their tag")
  func policies() throws {
    let data = try fixture(displayP3)
    let converted = try codecs.picture(from: data)
    let kept = try codecs.picture(from: data, context: DecodingContext(colorPolicy: .keep))
    #expect(converted.bitmap.colorSpace == .sRGB)
    #expect(kept.bitmap.colorSpace == .icc(name: kept.header?.colorProfileName ?? ""))
    #expect(converted.bitmap != kept.bitmap)
    #expect(converted.notes.isEmpty)
  }

  @Test("are converted at the size of the result")
  func resized() throws {
    let resize = Resize(PixelSize(20, 20))
    let small = try picture(displayP3, resize: resize).bitmap
    let whole = Picture(try picture(displayP3).bitmap).resized(resize).bitmap
    #expect(small.size == whole.size)
    #expect(small.meanDifference(from: whole) < 3)
  }

  @Test("of Display P3 are outside of sRGB, and its greys do not change")
  func displayP3Numbers() throws {
    let result = try #require(pixels(.coded(primaries: 12, transfer: 13)))
    // 200, 100, 50 of Display P3 in sRGB, by the matrices of both.
    let orange = result[0, 0]
    #expect(
      abs(Int(orange.red) - 215) <= 2 && abs(Int(orange.green) - 93) <= 2 && abs(Int(orange.blue) - 31) <= 2)
    #expect(result[1, 0] == Pixel(red: 128, green: 128, blue: 128))
  }

  @Test("of a linear picture become brighter numbers")
  func linear() throws {
    let result = try #require(pixels(.calibrated(gamma: 1, chromaticities: .sRGB)))
    #expect(abs(Int(result[1, 0].red) - 188) <= 1)
  }

  @Test("of a profile that equals sRGB under another name are not converted")
  func identity() throws {
    let result = try #require(pixels(.coded(primaries: 1, transfer: 13)))
    #expect(result[0, 0] == Pixel(red: 200, green: 100, blue: 50))
  }

  @Test("under a broken profile, or one of high dynamic range, cannot be converted")
  func broken() {
    #expect(pixels(.profile(ICCProfile(name: nil, data: Data([1, 2, 3])))) == nil)
    #expect(pixels(.coded(primaries: 9, transfer: 16)) == nil)
  }

  @Test("under a broken profile stay as stored, with a note")
  func brokenFile() throws {
    var data = try fixture(displayP3)
    var start = data.startIndex
    // The signature that every profile has.
    while let range = data.range(of: Data("acsp".utf8), in: start..<data.endIndex) {
      data.replaceSubrange(range, with: Data("xxxx".utf8))
      start = range.upperBound
    }
    let picture = try codecs.picture(from: data)
    let kept = try codecs.picture(from: fixture(displayP3), context: DecodingContext(colorPolicy: .keep))
    #expect(picture.notes.count == 1)
    #expect(picture.bitmap == kept.bitmap)
    #expect(picture.bitmap.colorSpace == .sRGB)
  }

  @Test("are the same in 16 bits as in 8 bits, also near the edge of sRGB")
  func wide() throws {
    let primaries = Chromaticities(
      white: .init(x: 0.3127, y: 0.329), red: .init(x: 0.68, y: 0.32), green: .init(x: 0.265, y: 0.69),
      blue: .init(x: 0.15, y: 0.06))
    let source = Bitmap(size: PixelSize(16, 16), isOpaque: true) { x, y in
      Pixel(red: UInt8(x * 17), green: UInt8(y * 17), blue: 40)
    }
    let results = try [source, source.converted(to: .rgba16)].map { bitmap in
      let encoding = ColorEncoding.calibrated(gamma: 2.2, chromaticities: primaries)
      return try #require(
        ColorConverter().convertToSRGB(bitmap, from: encoding, colorModel: .rgb, pool: .shared))
    }
    #expect(results[1].format == .rgba16)
    #expect(results[1].converted(to: .bgra8).largestDifference(from: results[0]) <= 1)
  }

  @Test("are divided by alpha before and multiplied after")
  func alpha() throws {
    let encoding = ColorEncoding.calibrated(gamma: 1, chromaticities: .sRGB)
    let source = Bitmap(size: PixelSize(1, 1), isOpaque: false) { _, _ in
      Pixel(red: 64, green: 64, blue: 64, alpha: 128)
    }
    let result = try #require(
      ColorConverter().convertToSRGB(source, from: encoding, colorModel: .rgb, pool: .shared))
    #expect(result[0, 0].alpha == 128)
    #expect(abs(Int(result[0, 0].red) - 94) <= 1)
  }

  @Test("of a PNG follow its chunks for gamma and codes")
  func pngChunks() throws {
    let plain = try codecs.encode(waves(PixelSize(8, 8)), as: .png)
    let header = try codecs.header(of: plain)
    #expect(header.colorEncoding == nil)
    // PngSuite's pictures of 8 bits and more declare a gamma of 1.
    let linear = try codecs.header(of: fixture("pngsuite/basn2c16.png"))
    #expect(linear.colorEncoding == .calibrated(gamma: 1, chromaticities: .sRGB))
  }
}
