import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

@Suite("Tall and wide pictures")
struct TallPictureTests {
  static let sizes = [
    PixelSize(8, 20_000), PixelSize(20_000, 8), PixelSize(1, 65_000), PixelSize(65_000, 1),
    PixelSize(3, 40_001),
  ]
  static let types = [ImageType.png, .jpeg, .avif, .jxl].filter {
    CodecRegistry.standard.encodableTypes.contains($0)
  }

  @Test("are decoded whole and small, since they have few pixels", arguments: sizes)
  func png(size: PixelSize) throws {
    let bitmap = waves(size)
    let data = try CodecRegistry.standard.encode(bitmap, as: .png)
    #expect(try CodecRegistry.standard.picture(from: data).bitmap == bitmap)
    let resize = Resize(PixelSize(64, 64))
    let small = try CodecRegistry.standard.picture(from: data, resize: resize).bitmap
    let expected = Picture(bitmap).resized(resize).bitmap
    #expect(small.size == expected.size && max(small.size.width, small.size.height) == 64)
    #expect(small.meanDifference(from: expected) < 3)
  }

  @Test(
    "give thumbnails in formats that reduce on the way", arguments: types,
    [PixelSize(40, 20_000), PixelSize(20_000, 40)])
  func reduced(type: ImageType, size: PixelSize) throws {
    let bitmap = waves(size)
    let data = try CodecRegistry.standard.encode(bitmap, as: type)
    let resize = Resize(PixelSize(500, 500))
    let small = try CodecRegistry.standard.picture(from: data, resize: resize).bitmap
    #expect(small.meanDifference(from: Picture(bitmap).resized(resize).bitmap) < 4)
  }

  @Test(
    "of the size of a long screenshot load under the default limits, whole and as a thumbnail",
    arguments: types)
  func screenshot(type: ImageType) throws {
    let size = PixelSize(400, 20_000)
    let data = try CodecRegistry.standard.encode(
      Bitmap(size: size) { _, y in Pixel(red: UInt8(y / 80), green: 90, blue: 9) }, as: type)
    #expect(try CodecRegistry.standard.picture(from: data).size == size)
    let small = try CodecRegistry.standard.picture(from: data, resize: Resize(PixelSize(64, 64)))
    #expect(small.size == PixelSize(1, 64))
  }

  @Test("have the bytes of their padded rows, and are refused for these")
  func bytes() throws {
    let data = try CodecRegistry.standard.encode(waves(PixelSize(1, 30_000)), as: .png)
    // And 24 rows.
    let byteCount = 16 * 30_000 + 96
    let limits = DecodingLimits(decodedByteCount: byteCount - 1)
    let violation = DecodingLimits.Violation(.decodedByteCount, value: byteCount, limit: byteCount - 1)
    #expect(throws: ImageDecodingError.limitExceeded(violation)) {
      try CodecRegistry.standard.picture(from: data, context: DecodingContext(limits: limits))
    }
  }

  @Test("of JPEG are refused above the largest side of libjpeg, with the reason")
  func tallJPEG() throws {
    var data = try CodecRegistry.standard.encode(waves(PixelSize(8, 8)), as: .jpeg)
    let frame = try #require(data.range(of: Data([0xFF, 0xC0])) ?? data.range(of: Data([0xFF, 0xC2])))
    data.replaceSubrange(frame.upperBound + 3..<frame.upperBound + 5, with: [0xFF, 0xFF])
    let reason = "it has a side of more than 65500 pixels"
    #expect(throws: ImageDecodingError.unsupportedType(.jpeg, reason: reason)) {
      try CodecRegistry.standard.picture(from: data)
    }
  }
}
