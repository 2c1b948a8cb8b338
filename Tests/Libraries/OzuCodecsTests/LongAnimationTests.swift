import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

@Suite("Long animations")
struct LongAnimationTests {
  static let frameCount = 600

  private static func gif(frameCount: Int) -> Data {
    let frames = (0..<frameCount).map { GIFWriter.Frame(width: 1, height: 1, indices: [UInt8($0 % 4)]) }
    return GIFWriter(width: 1, height: 1, loopCount: 0, frames: frames).data
  }

  private static func png() -> Data {
    PNGFile(size: PixelSize(2, 2), colorType: 2, samples: Array(0..<12), frameCount: frameCount).data
  }

  /// Many lossless frames of 8 by 8.
  private static func webP() throws -> Data {
    let still = try CodecRegistry.standard.encode(
      waves(PixelSize(8, 8)), as: .webp, options: EncodingOptions(isLossless: true))
    func little(_ value: Int, _ count: Int) -> [UInt8] { TIFFFile.little(value, count) }
    func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
      Array(name.utf8) + little(content.count, 4) + content + (content.count % 2 == 1 ? [0] : [])
    }
    // In a file with one chunk, everything after the file header is that chunk.
    let frame = chunk(
      "ANMF", little(0, 6) + little(7, 3) + little(7, 3) + little(10, 3) + [0] + Array(still[12...]))
    var content = Array("WEBP".utf8) + chunk("VP8X", [2, 0, 0, 0] + little(7, 3) + little(7, 3))
    content += chunk("ANIM", [0, 0, 0, 0, 0, 0])
    for _ in 0..<frameCount { content += frame }
    return Data(Array("RIFF".utf8) + little(content.count, 4) + content)
  }

  private static func file(_ type: ImageType) throws -> Data {
    switch type {
    case .gif: gif(frameCount: frameCount)
    case .webp: try webP()
    default: png()
    }
  }

  static let types = [ImageType.gif, .png, .webp].filter {
    CodecRegistry.standard.decodableTypes.contains($0)
  }

  @Test("are counted, shown and played", arguments: types)
  func plays(type: ImageType) throws {
    let data = try Self.file(type)
    #expect(try CodecRegistry.standard.header(of: data).frameCount == Self.frameCount)
    let picture = try CodecRegistry.standard.picture(from: data)
    #expect(picture.notes.isEmpty)
    let animation = try #require(picture.animation)
    #expect(animation.frameCount == Self.frameCount)
    #expect(try animation.frame(at: Self.frameCount - 1).size == picture.size)
  }

  @Test("of 600 frames of 32 by 32 load under the default limits, and take little while they are played")
  func emoticon() throws {
    let frames = (0..<Self.frameCount).map { number in
      GIFWriter.Frame(
        width: 32, height: 32, indices: (0..<1024).map { (index: Int) in UInt8((index / 8 + number) % 4) })
    }
    let picture = try CodecRegistry.standard.picture(
      from: GIFWriter(width: 32, height: 32, loopCount: 0, frames: frames).data)
    #expect(picture.notes.isEmpty)
    #expect(picture.animation?.frameCount == Self.frameCount)
    #expect(picture.byteCount < 8 << 20)
  }

  @Test("are played as far as is allowed, with a note", arguments: types)
  func limited(type: ImageType) throws {
    let data = try Self.file(type)
    let limits = DecodingLimits(frameCount: 10)
    #expect(try CodecRegistry.standard.header(of: data, limits: limits).frameCount == Self.frameCount)
    let picture = try CodecRegistry.standard.picture(from: data, context: DecodingContext(limits: limits))
    #expect(picture.notes == ["played up to frame 10 of 600 frames"])
    let animation = try #require(picture.animation)
    #expect(animation.frameCount == 10)
    #expect(try animation.frame(at: 9).size == picture.size)
  }

  @Test("are still pictures if no frames are allowed", arguments: types, [-1, 0, 1])
  func still(type: ImageType, limit: Int) throws {
    let context = DecodingContext(limits: DecodingLimits(frameCount: limit))
    let picture = try CodecRegistry.standard.picture(from: Self.file(type), context: context)
    #expect(picture.animation == nil)
    #expect(picture.notes == ["shown without its animation of 600 frames, limit \(limit)"])
    #expect(try picture.bitmap == CodecRegistry.standard.picture(from: Self.file(type)).bitmap)
  }

  #if AVIF
    @Test("of AVIF are played as far as is allowed")
    func avif() throws {
      let context = DecodingContext(limits: DecodingLimits(frameCount: 2))
      let picture = try CodecRegistry.standard.picture(from: fixture("matrix/anim.avif"), context: context)
      #expect(picture.animation?.frameCount == 2)
      #expect(picture.notes == ["played up to frame 2 of 4 frames"])
    }
  #endif

  @Test("are counted up to a limit, and their description says that there are more")
  func endless() throws {
    let header = try CodecRegistry.standard.header(
      of: Self.gif(frameCount: ImageHeader.largestFrameCount + 10))
    #expect(header.frameCount == ImageHeader.largestFrameCount)
    #expect(!header.isFrameCountExact)
    #expect(header.frameCountDescription == "more than 65535 frames")
    #expect(ImageHeader(type: .gif, storedSize: PixelSize(1, 1)).frameCountDescription == "1 frame")
  }
}
