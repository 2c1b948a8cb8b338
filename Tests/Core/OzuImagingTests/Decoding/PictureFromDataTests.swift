import Foundation
import OzuImaging
import Testing

@Suite("From bytes to a picture")
struct PictureFromDataTests {
  /// An upright picture whose quarters are red, green, blue and white.
  static func quarters(_ size: PixelSize) -> Bitmap {
    Bitmap(size: size) { x, y in
      switch (2 * x < size.width, 2 * y < size.height) {
      case (true, true): Pixel(red: 255, green: 0, blue: 0)
      case (false, true): Pixel(red: 0, green: 255, blue: 0)
      case (true, false): Pixel(red: 0, green: 0, blue: 255)
      case (false, false): Pixel(red: 255, green: 255, blue: 255)
      }
    }
  }

  /// A decoder of a file that stores the quarters under an orientation.
  static func decoder(_ upright: PixelSize, _ orientation: Orientation, scales: [Int] = [8]) -> FakeDecoder {
    let inverse: Orientation =
      switch orientation {
      case .left: .right
      case .right: .left
      default: orientation
      }
    let header = ImageHeader(
      type: .png, storedSize: orientation.applied(to: upright), orientation: orientation)
    return FakeDecoder(scales: scales, header: header) { size in
      quarters(orientation.applied(to: size)).upright(from: inverse)
    }
  }

  static func codecs(_ decoder: FakeDecoder) -> CodecRegistry {
    var codecs = CodecRegistry()
    codecs.register(decoder: decoder)
    return codecs
  }

  @Test("a thumbnail has its size and is upright", arguments: Orientation.allCases)
  func thumbnail(orientation: Orientation) throws {
    let decoder = Self.decoder(PixelSize(400, 300), orientation, scales: [1, 2, 4, 8])
    let picture = try Self.codecs(decoder).picture(
      from: Signature.png, resize: Resize(PixelSize(40, 20), mode: .aspectFill, crops: true))
    #expect(picture.size == PixelSize(40, 20))
    #expect(decoder.decodes.map(\.eighths) == [2])
    #expect(decoder.decodes.map(\.decodedSize) == [orientation.applied(to: PixelSize(100, 75))])
    #expect(picture.bitmap[2, 2] == Pixel(red: 255, green: 0, blue: 0))
    #expect(picture.bitmap[37, 2] == Pixel(red: 0, green: 255, blue: 0))
    #expect(picture.bitmap[2, 17] == Pixel(red: 0, green: 0, blue: 255))
    #expect(picture.bitmap[37, 17] == Pixel(red: 255, green: 255, blue: 255))
    #expect(picture.header?.orientation == orientation)
  }

  @Test("the whole picture comes out pixel for pixel", arguments: Orientation.allCases)
  func whole(orientation: Orientation) throws {
    let size = PixelSize(13, 7)
    let picture = try Self.codecs(Self.decoder(size, orientation)).picture(from: Signature.png)
    #expect(picture.bitmap == Self.quarters(size))
  }

  @Test("a fitted picture is as large as its geometry says", arguments: Orientation.allCases)
  func fitted(orientation: Orientation) throws {
    let decoder = Self.decoder(PixelSize(100, 33), orientation, scales: [1, 2, 4, 8])
    let picture = try Self.codecs(decoder).picture(
      from: Signature.png, resize: Resize(PixelSize(10, 10), kernel: .box))
    #expect(picture.size == PixelSize(10, 3))
  }

  @Test("memory comes from the pool of the context and goes back, except for the picture's")
  func pool() throws {
    let pool = PixelBufferPool(retainedByteLimit: 1 << 20)
    let picture = try Self.codecs(Self.decoder(PixelSize(100, 80), .right)).picture(
      from: Signature.png, resize: Resize(PixelSize(10, 10)), context: DecodingContext(pool: pool))
    // One block of the smallest class: the fake decoder's memory comes from elsewhere.
    #expect(pool.statistics.lentByteCount == 512)
    #expect(picture.size == PixelSize(10, 8))
  }

  /// A decoder that renders results itself and checks nothing.
  private struct RenderingDecoder: ImageDecoding {
    let types: [ImageType] = [.png]
    let rendering: @Sendable () -> Void

    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
      RenderingFile(rendering)
    }
  }

  private final class RenderingFile: ImageFile {
    let header = ImageHeader(type: .png, storedSize: PixelSize(400, 300))
    private let rendering: @Sendable () -> Void

    init(_ rendering: @escaping @Sendable () -> Void) { self.rendering = rendering }

    func render(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
      rendering()
      return .flat(.opaqueRed, size: plan.outputSize)
    }

    func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
      .flat(.opaqueRed, size: plan.decodedSize)
    }
  }

  @Test("a decoder is not asked for a picture whose decode would take more than is allowed")
  func decodedByteCount() async {
    // The result is small, but the picture that must be decoded for it is not.
    let byteCount = 400 * 300 * 4
    func picture(limit: Int, _ rendering: @escaping @Sendable () -> Void) throws -> Picture {
      var codecs = CodecRegistry()
      codecs.register(decoder: RenderingDecoder(rendering: rendering))
      return try codecs.picture(
        from: Signature.png, resize: Resize(PixelSize(40, 30)),
        context: DecodingContext(limits: DecodingLimits(decodedByteCount: limit)))
    }
    await confirmation(expectedCount: 1) { asked in
      #expect(throws: ImageDecodingError.self) {
        try picture(limit: byteCount - 1) { Issue.record("the decoder was asked") }
      }
      #expect(throws: Never.self) { try picture(limit: 2 * byteCount) { asked() } }
    }
  }
}
