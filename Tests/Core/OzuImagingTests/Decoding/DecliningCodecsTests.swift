import Foundation
import OzuImaging
import Testing

@Suite("Codecs may decline")
struct DecliningCodecsTests {
  /// Accepts only files with one beginning.
  private struct PickyDecoder: ImageDecoding {
    let types: [ImageType]
    let prefix: [UInt8]
    let size: PixelSize

    func accepts(_ data: Data, as type: ImageType?) -> Bool { data.starts(with: prefix) }

    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
      FakeFile(ImageHeader(type: types[0], storedSize: size)) { [size] _ in .flat(.opaqueRed, size: size) }
    }
  }

  /// Accepts only opaque bitmaps.
  private struct OpaqueEncoder: ImageEncoding {
    let type = ImageType.png
    let keepsAlpha = false

    func accepts(_ bitmap: Bitmap, options: EncodingOptions) -> Bool { bitmap.isOpaque }

    func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
      Data("opaque".utf8)
    }
  }

  private static let own = ImageType(rawValue: "own")

  @Test("a decoder that declines leaves the file to the one before it")
  func fallingThrough() throws {
    var codecs = CodecRegistry()
    codecs.register(
      decoder: FakeDecoder(header: ImageHeader(type: .png, storedSize: PixelSize(8, 4))))
    codecs.register(decoder: PickyDecoder(types: [.png], prefix: [1, 2, 3], size: PixelSize(1, 1)))
    #expect(try codecs.header(of: Signature.png).size == PixelSize(8, 4))
    codecs.register(decoder: PickyDecoder(types: [.png], prefix: [0x89], size: PixelSize(2, 2)))
    #expect(try codecs.header(of: Signature.png).size == PixelSize(2, 2))
  }

  @Test("a format of the app's own is read by the decoder that recognises it")
  func ownFormat() throws {
    var codecs = CodecRegistry()
    codecs.register(
      decoder: PickyDecoder(types: [Self.own], prefix: Array("OWN!".utf8), size: PixelSize(3, 3)))
    let picture = try codecs.picture(from: Data("OWN! and more".utf8))
    #expect(picture.size == PixelSize(3, 3))
    #expect(picture.header?.type == Self.own)
    #expect(throws: ImageDecodingError.notAnImage(kind: nil)) {
      _ = try codecs.decoder(for: Data([0, 1, 2]))
    }
  }

  @Test("a file that every decoder declines has another error than a file that no decoder can read")
  func allDecline() {
    var codecs = CodecRegistry()
    codecs.register(decoder: PickyDecoder(types: [.png], prefix: [1, 2, 3], size: PixelSize(1, 1)))
    #expect(throws: ImageDecodingError.unsupportedType(.png, reason: "no decoder takes this file")) {
      _ = try codecs.decoder(for: Signature.png)
    }
  }

  @Test("an encoder that declines leaves the bitmap to the one before it")
  func encoders() throws {
    let opaque = Bitmap.flat(.opaqueRed, size: PixelSize(1, 1))
    let veiled = Bitmap(size: PixelSize(1, 1), isOpaque: false) { _, _ in
      Pixel(red: 0, green: 0, blue: 0, alpha: 9)
    }
    var codecs = CodecRegistry()
    codecs.register(encoder: OpaqueEncoder())
    #expect(throws: ImageEncodingError.failed(.png, reason: "no encoder takes this bitmap")) {
      _ = try codecs.encode(veiled, as: .png)
    }
    codecs = CodecRegistry()
    codecs.register(encoder: FakeEncoder(type: .png, text: "any"))
    codecs.register(encoder: OpaqueEncoder())
    #expect(try codecs.encode(opaque, as: .png) == Data("opaque".utf8))
    #expect(try codecs.encode(veiled, as: .png) == Data("any".utf8))
  }
}
