import CCodecs
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
    #expect(throws: ImageDecodingError.truncated(.jpeg, stage: "scan data")) {
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

    /// A file of waves, of which the upper half has one colour: its rows take a few bytes.
    private func halfPlain(_ size: PixelSize) throws -> Data {
      let waves = waves(size)
      let bitmap = Bitmap(size: size, isOpaque: true) { x, y in waves[x, y < size.height / 2 ? 0 : y] }
      return try WebPEncoder().encode(bitmap, options: .init(compressionQuality: 0.9))
    }

    @Test(
      "WebP has the same planes, however many rows libwebp decodes in a step",
      arguments: [PixelSize(403, 301), PixelSize(400, 304), PixelSize(801, 97), PixelSize(160, 600)],
      [1, 2, 5])
    func webpSteps(size: PixelSize, step: Int) throws {
      let data = try halfPlain(size)
      let file = try CodecRegistry.standard.open(data)
      let frame = try #require(WebPHeader(data.span, frameLimit: 1).frames.first)
      let output = PixelSize(size.width * 2 / 5 / step, size.height * 2 / 5 / step)
      let plan = DecodePlan(of: file, resize: Resize(output, mode: .fill), context: DecodingContext())
      let averaging = try #require(plan.averaging)
      #expect(averaging.luma.columns == step && averaging.luma.rows == step)
      func planes(_ stepByteCount: Int) throws -> [[Int16]] {
        let picture = try data.withUnsafeBytes { bytes in
          try WebPPlanes.decode(
            UnsafeRawBufferPointer(rebasing: bytes[frame.range]), size: size, averaging: averaging,
            context: DecodingContext(), stepByteCount: stepByteCount)
        }
        return try #require(picture).planes.map { Array($0.samples) }
      }
      let whole = try planes(.max)
      for stepByteCount in [1, 100, data.count / 3] {
        // Without the difference of the arrays, which takes minutes.
        let isSame = try planes(stepByteCount) == whole
        #expect(isSame, "in steps of \(stepByteCount) bytes")
      }
    }

    @Test("WebP writes the rows of every step to the same memory", arguments: [true, false])
    func webpMemory(skipsLoopFilter: Bool) throws {
      let size = PixelSize(403, 301)
      let data = try WebPEncoder().encode(waves(size), options: .init(compressionQuality: 0.9))
      let byteCount = ozu_webp_planes_size(UInt32(size.width), UInt32(size.height))
      var memory = [UInt8](repeating: 0xA5, count: byteCount)
      var counts: [(luma: UInt32, chroma: UInt32)] = []
      try memory.withUnsafeMutableBufferPointer { memory in
        let decoder = try #require(
          ozu_webp_plane_decoder_new(memory.baseAddress, memory.count, 403, 301, skipsLoopFilter))
        defer { ozu_webp_decoder_free(decoder) }
        data.withUnsafeBytes { bytes in
          for count in 1...bytes.count {
            let status = ozu_webp_decoder_decode(decoder, bytes.bindMemory(to: UInt8.self).baseAddress, count)
            #expect(status == .more || status == .done)
            let rows = ozu_webp_decoder_take_rows(decoder)
            guard rows.luma_count > 0 else { continue }
            #expect(rows.luma == UnsafePointer(memory.baseAddress))
            counts.append((rows.luma_count, rows.chroma_count))
          }
        }
      }
      #expect(counts.reduce(0) { $0 + $1.luma } == 301 && counts.reduce(0) { $0 + $1.chroma } == 151)
      let largest = Int(counts.map(\.luma).max() ?? 0)
      #expect(largest < 50 && memory[((largest + 1) * (403 + 202))...].allSatisfy { $0 == 0xA5 })
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
      #expect(throws: ImageDecodingError.self) {
        try CodecRegistry.standard.picture(from: cut, resize: resize)
      }
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
