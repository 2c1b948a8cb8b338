import Foundation
import JPEGOracle
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

@testable import OzuLibraryCodecs

@Suite("Decoding to planes")
struct PlanarDecodingTests {
  /// The result from planes, and the result from pixels. The planes of a file of frequencies come from the reduced decoder.
  private func compare(
    _ file: Data, _ resize: Resize, isOfFrequencies: Bool = false
  ) throws -> (planes: Bitmap, pixels: Bitmap) {
    let header = try CodecRegistry.standard.header(of: file)
    let plan = DecodePlan(header: header, resize: resize)
    #expect((plan.averaging != nil) == !isOfFrequencies)
    #expect((plan.reduction != nil) == isOfFrequencies)
    let planes = try CodecRegistry.standard.picture(from: file, resize: resize).bitmap
    let pixels = try CodecRegistry.standard.picture(from: file).resized(resize).bitmap
    return (planes, pixels)
  }

  static let variants: [JPEGVariant] = [
    JPEGVariant(PixelSize(403, 301)), JPEGVariant(PixelSize(400, 304), sampling: (2, 1)),
    JPEGVariant(PixelSize(401, 299), sampling: (1, 2)), JPEGVariant(PixelSize(397, 301), sampling: (1, 1)),
    JPEGVariant(PixelSize(403, 301), isGray: true), JPEGVariant(PixelSize(403, 301), isProgressive: true),
    JPEGVariant(PixelSize(403, 301), restartInterval: 3),
    JPEGVariant(PixelSize(411, 307), sampling: (4, 1)),
  ]

  @Test("JPEG at medium sizes looks as from pixels", arguments: variants)
  func jpeg(variant: JPEGVariant) throws {
    for width in [130, 190] {
      let resize = Resize(PixelSize(width, width * 3 / 4), mode: .fill)
      let (planes, pixels) = try compare(variant.data, resize, isOfFrequencies: true)
      #expect(planes.signalToNoise(against: pixels) > 42)
    }
  }

  @Test("progressive JPEG at half size looks as from pixels")
  func progressive() throws {
    let variant = JPEGVariant(PixelSize(803, 601), isProgressive: true)
    let (planes, pixels) = try compare(
      variant.data, Resize(PixelSize(240, 180), mode: .fill), isOfFrequencies: true)
    #expect(planes.signalToNoise(against: pixels) > 38)
  }

  @Test("a JPEG truncated in its data is an error, or half a picture if that is allowed")
  func truncated() throws {
    let file = JPEGVariant(PixelSize(403, 301)).data
    let cut = Data(file.prefix(file.count / 2))
    let resize = Resize(PixelSize(130, 98), mode: .fill)
    #expect(throws: DecodingError.truncated(.jpeg, stage: "scan data")) {
      try CodecRegistry.standard.picture(from: cut, resize: resize)
    }
    let part = try CodecRegistry.standard.picture(
      from: cut, resize: resize, context: DecodingContext(allowsTruncation: true)
    ).bitmap
    let whole = try CodecRegistry.standard.picture(from: file, resize: resize).bitmap
    #expect(part[60, 10] == whole[60, 10])
    #expect(part[60, 90] != whole[60, 90])
  }

  #if WebP
    @Test("WebP looks as from pixels", arguments: [PixelSize(403, 301), PixelSize(400, 300)])
    func webp(size: PixelSize) throws {
      let file = try WebPEncoder().encode(waves(size), options: .init(compressionQuality: 0.9))
      for width in [20, 60, 130, 200] {
        let (planes, pixels) = try compare(file, Resize(PixelSize(width, width * 3 / 4), mode: .fill))
        #expect(planes.signalToNoise(against: pixels) > 38)
      }
    }

    @Test(
      "WebP with planes that libwebp averages looks as with whole planes",
      arguments: [PixelSize(403, 301), PixelSize(800, 600), PixelSize(801, 97)])
    func scaledWebP(size: PixelSize) throws {
      let data = try WebPEncoder().encode(waves(size), options: .init(compressionQuality: 0.9))
      let file = try CodecRegistry.standard.open(data)
      let context = DecodingContext()
      let resize = Resize(PixelSize(size.width / 20, size.height / 15), mode: .fill)
      let plan = DecodePlan(of: file, resize: resize, context: context)
      let averaging = try #require(plan.averaging)
      let header = try WebPHeader(data.span, frameLimit: 1)
      let results = try [0, Int.max].map { largest in
        let planes = try data.withUnsafeBytes { bytes in
          try WebPPlanes.decode(
            UnsafeRawBufferPointer(rebasing: bytes[header.frames[0].range]), size: size, averaging: averaging,
            context: context, largestWholePlanes: largest)
        }
        return try plan.rendered(try #require(planes), header: file.header, context: context)
      }
      #expect(results[0].signalToNoise(against: results[1]) > 45)
    }

    @Test("WebP with alpha, lossless or truncated is decoded to pixels")
    func webpOtherwise() throws {
      let clear = try WebPEncoder().encode(waves(PixelSize(90, 90), isOpaque: false), options: .init())
      #expect(try CodecRegistry.standard.header(of: clear).planeLayout == nil)
      let exact = try WebPEncoder().encode(waves(PixelSize(90, 90)), options: .init(isLossless: true))
      #expect(try CodecRegistry.standard.header(of: exact).planeLayout == nil)
      let file = try WebPEncoder().encode(waves(PixelSize(400, 300)), options: .init())
      let cut = Data(file.prefix(file.count / 2))
      let resize = Resize(PixelSize(40, 30))
      #expect(throws: DecodingError.self) { try CodecRegistry.standard.picture(from: cut, resize: resize) }
      #expect(
        try CodecRegistry.standard.picture(
          from: cut, resize: resize, context: DecodingContext(allowsTruncation: true)
        ).size == PixelSize(40, 30))
    }
  #endif

  #if AVIF
    @Test("AVIF looks as from pixels", arguments: [PixelSize(203, 151), PixelSize(200, 150)])
    func avif(size: PixelSize) throws {
      let file = try AVIFEncoder().encode(waves(size), options: .init(compressionQuality: 0.9))
      for width in [20, 65, 100] {
        let (planes, pixels) = try compare(file, Resize(PixelSize(width, width * 3 / 4), mode: .fill))
        #expect(planes.signalToNoise(against: pixels) > 38)
      }
    }
  #endif
}
