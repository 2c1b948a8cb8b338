import Foundation
import OzuStandardCodecs
import OzuTesting
import Testing

@testable import OzuCodecs
@testable import OzuImaging

@Suite("Light levels of pictures of high dynamic range")
struct LightLevelTests {
  private static let codecs = CodecRegistry.standard

  private static let levels: LightLevels = {
    var levels = LightLevels(maximumContent: 1234, maximumAverage: 321, masteringPeak: 4000)
    levels.masteringMinimum = 0.005
    levels.masteringGamut = Chromaticities(
      white: .init(x: 0.3127, y: 0.329), red: .init(x: 0.708, y: 0.292), green: .init(x: 0.17, y: 0.797),
      blue: .init(x: 0.131, y: 0.046))
    return levels
  }()

  private static func bitmap(isOpaque: Bool) -> Bitmap {
    Bitmap(
      size: PixelSize(32, 8), format: .rgba16, isOpaque: isOpaque,
      colorSpace: .coded(primaries: 9, transfer: 16)
    ) { bytes, bytesPerRow in
      for y in 0..<8 {
        for x in 0..<32 {
          let alpha = isOpaque ? 65_535 : 65_535 - y * 5000
          for channel in 0..<4 {
            bytes.storeBytes(
              of: UInt16(channel == 3 ? alpha : alpha * (x + channel) / 40),
              toByteOffset: y * bytesPerRow + x * 8 + channel * 2, as: UInt16.self)
          }
        }
      }
    }
  }

  private static func bytes(_ bitmap: Bitmap) -> [UInt8] { bitmap.withUnsafeBytes { [UInt8]($0) } }

  @Test(
    "are written and read again, and do not change a pixel", arguments: [ImageType.png, .avif, .jxl],
    [true, false])
  func written(type: ImageType, isOpaque: Bool) throws {
    guard Self.codecs.encodableTypes.contains(type) else { return }
    let context = DecodingContext(colorPolicy: .keep, pixelFormats: .asStored)
    var options = EncodingOptions(
      isLossless: true,
      metadata: EncodedMetadata(exif: Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0])))
    let plain = try Self.codecs.encode(Self.bitmap(isOpaque: isOpaque), as: type, options: options)
    #expect(try Self.codecs.header(of: plain).lightLevels == nil)
    options.metadata.lightLevels = Self.levels
    let file = try Self.codecs.encode(Self.bitmap(isOpaque: isOpaque), as: type, options: options)
    let found = try #require(try Self.codecs.header(of: file).lightLevels)
    if type == .jxl {
      #expect(found == LightLevels(maximumContent: 1234))
    } else {
      #expect(found == Self.levels)
    }
    let before = try Self.codecs.picture(from: plain, context: context).bitmap
    let after = try Self.codecs.picture(from: file, context: context).bitmap
    #expect(after.size == before.size && after.isOpaque == before.isOpaque)
    #expect(Self.bytes(after) == Self.bytes(before))
    #expect(try Self.codecs.metadata(of: file).exif == Self.codecs.metadata(of: plain).exif)
    // And tone mapping uses them as the peak.
    let mapped = try Self.codecs.picture(from: file)
    #expect(!mapped.notes.contains { $0.contains("assumed") })
  }

  @Test("that are impossible are not written", arguments: [ImageType.png, .avif, .jxl])
  func lies(type: ImageType) throws {
    guard Self.codecs.encodableTypes.contains(type) else { return }
    let plain = try Self.codecs.encode(Self.bitmap(isOpaque: true), as: type)
    var broken = Self.levels
    broken.masteringMinimum = 5000
    broken.maximumContent = .nan
    for levels in [
      LightLevels(maximumContent: 0), LightLevels(maximumContent: 1e9, masteringPeak: -1),
      LightLevels(maximumContent: .infinity), LightLevels(masteringPeak: 1000), broken, LightLevels(),
    ] {
      let options = EncodingOptions(metadata: EncodedMetadata(lightLevels: levels))
      #expect(try Self.codecs.encode(Self.bitmap(isOpaque: true), as: type, options: options) == plain)
    }
  }

  @Test("are not written into truncated files, and damaged ones do no harm")
  func otherForms() throws {
    guard Self.codecs.encodableTypes.contains(.avif) else { return }
    let file = try Self.codecs.encode(Self.bitmap(isOpaque: false), as: .avif)
    let whole = try #require(HEIFLightLevels.adding(Self.levels, to: file))
    #expect(try Self.codecs.header(of: whole).lightLevels == Self.levels)
    for length in 0..<file.count { #expect(HEIFLightLevels.adding(Self.levels, to: file[..<length]) == nil) }
    var random = SeededGenerator(seed: 25)
    for _ in 0..<2000 {
      var bytes = [UInt8](file)
      bytes[Int.random(in: 0..<min(600, bytes.count), using: &random)] = .random(in: 0...255, using: &random)
      _ = HEIFLightLevels.adding(Self.levels, to: Data(bytes))
    }
  }
}
