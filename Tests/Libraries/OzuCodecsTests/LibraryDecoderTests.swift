#if TIFF
  import CCodecs
  import Foundation
  import OzuCodecs
  import OzuImaging
  @testable import OzuLibraryCodecs
  import Testing

  /// A format that Ozu does not know, added as on the page "A format over a C library": TIFF after a signature of
  /// its own.
  @Suite("A format over a C library")
  struct LibraryDecoderTests {
    static let word = Array("FOO!".utf8)
    static let foo = ImageType(rawValue: "foo")

    private var codecs: CodecRegistry {
      var codecs = CodecRegistry()
      codecs.register(
        decoder: LibraryDecoder(type: Self.foo, signature: Self.word) {
          ozu_tiff_decoder_new($0.map { $0 + 4 }, $1 - 4, $2)
        })
      return codecs
    }

    private let file = TIFFFile(
      size: PixelSize(2, 1), bits: 8, photometric: 2, samplesPerPixel: 3, strips: [[1, 2, 3, 4, 5, 6]]
    ).data

    @Test("is recognised by its first bytes, and needs only its constructor in C")
    func decodes() throws {
      let picture = try codecs.picture(from: Data(Self.word) + file)
      #expect(picture.header?.type == Self.foo)
      #expect(picture.size == PixelSize(2, 1))
      #expect(picture.bitmap[1, 0] == Pixel(red: 4, green: 5, blue: 6))
      #expect(picture.animation == nil)
    }

    @Test("does not accept files of other formats", arguments: [true, false])
    func declines(isKnown: Bool) {
      let data = isKnown ? file : Data("BAR!".utf8) + file
      #expect(throws: ImageDecodingError.self) { try codecs.picture(from: data) }
    }
  }
#endif
