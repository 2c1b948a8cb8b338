#if SVG
  import Foundation
  import OzuCodecs
  import OzuStandardCodecs
  import OzuImaging
  import OzuTesting
  import Testing

  @testable import OzuLibraryCodecs

  @Suite("Pictures inside SVG, and compressed SVG")
  struct DrawingContentTests {
    private static let codecs = {
      var codecs = CodecRegistry()
      codecs.register(decoder: SVGDecoder())
      return codecs
    }()

    private func document(_ content: String, _ attributes: String) -> Data {
      Data("<svg xmlns='http://www.w3.org/2000/svg' \(attributes)>\(content)</svg>".utf8)
    }

    private func picture(_ data: Data) throws -> Picture { try Self.codecs.picture(from: data) }

    /// A picture of 4 x 4 red pixels inside a drawing.
    private func embedded(_ address: String, _ attribute: String = "xlink:href") -> Data {
      document(
        "<image width='4' height='4' \(attribute)='\(address)'/>",
        "xmlns:xlink='http://www.w3.org/1999/xlink' width='4' height='4'")
    }

    private static func red(as type: ImageType) throws -> String {
      if type == .tiff {
        let strip = [UInt8]((0..<16).flatMap { _ in [255, 0, 0] as [UInt8] })
        let file = TIFFFile(
          size: PixelSize(4, 4), bits: 8, photometric: 2, samplesPerPixel: 3, strips: [strip])
        return file.data.base64EncodedString()
      }
      let red = Bitmap(size: PixelSize(4, 4)) { _, _ in Pixel(red: 255, green: 0, blue: 0) }
      return try CodecRegistry.standard.encode(red, as: type, options: EncodingOptions(isLossless: true))
        .base64EncodedString()
    }

    @Test(
      "pictures inside are drawn, whatever their media type says",
      arguments: [ImageType.png, .jpeg, .gif, .webp, .avif, .jxl, .tiff].filter(
        CodecRegistry.standard.decodableTypes.contains),
      ["TYPE", "", "image/jpg", "image/x-any;name=a.b", "IMAGE/PNG"])
    func pictures(_ type: ImageType, _ mediaType: String) throws {
      let mediaType = mediaType == "TYPE" ? type.mediaType : mediaType
      let text = try Self.red(as: type)
      let broken = text.prefix(20) + "\n  " + text.dropFirst(20).prefix(8) + "&#10;" + text.dropFirst(28)
      for data in [
        embedded("data:\(mediaType);base64,\(text)"), embedded("data:\(mediaType);base64,\(text)", "href"),
        embedded(" DATA:\(mediaType); base64,\(broken)"),
      ] {
        let picture = try picture(data)
        let pixel = picture.bitmap[1, 1]
        #expect(pixel.red > 250 && pixel.green < 5 && pixel.blue < 5 && pixel.alpha == 255)
        #expect(picture.notes.isEmpty)
      }
    }

    @Test("a picture inside that is left out is noted, and the others are drawn")
    func omissions() throws {
      let address = try "data:image/gif;base64,\(Self.red(as: .gif))"
      let heic = "data:image/heic;base64,AAAAHGZ0eXBoZWljAAAAAGhlaWNtaWYxbWlhZg=="
      let drawing =
        "<svg xmlns='http://www.w3.org/2000/svg' width='4' height='4'><image href='\(heic)'/></svg>"
      let others = [
        heic, "data:image/png;base64,", "data:image/gif;base64,R0lGODlh", "a.png", "http://example.org/a.png",
        "",
        "d&#97;ta:image/heic;base64,AAAAHGZ0eXBoZWljAAAAAGhlaWNtaWYxbWlhZg==", "#a", "&a;",
        "data:image/svg+xml;base64,\(Data(drawing.utf8).base64EncodedString())",
        "data:image/png,%89PNG", "data:image/svg+xml,%3Csvg%3E%3C%69mage/%3E%3C/svg%3E",
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E",
      ]
      let images = others.map { "<image width='4' height='4' xlink:href=\"\($0)\"/>" }.joined()
      let data = Data(
        """
        <!DOCTYPE svg [<!ENTITY a "#b">]><svg xmlns='http://www.w3.org/2000/svg'
        xmlns:xlink='http://www.w3.org/1999/xlink' width='4' height='4'><!-- <image xlink:href='b.png'/> -->
        <image width='4' height='4' xlink:href='\(address)'/>\(images)</svg>
        """.utf8)
      let picture = try picture(data)
      #expect(picture.bitmap[1, 1] == Pixel(red: 255, green: 0, blue: 0))
      #expect(
        picture.notes == [
          "2 pictures inside the drawing are left out: HEIC",
          "a picture inside the drawing is left out: there are no bytes",
          "a picture inside the drawing is left out: truncated GIF: the file ends in its header",
          "2 pictures inside the drawing are left out: text that is no drawing, or has pictures of its own",
          "3 pictures outside of the drawing are left out: no other file is read",
        ])
      // Their bytes reach no module of gdk-pixbuf, in inner drawings neither.
      let prepared = String(decoding: DrawingPictures(data, limits: .default).data, as: UTF8.self)
      let inner = try #require(
        prepared.components(separatedBy: "svg+xml;base64,").last?.prefix { $0 != "\"" })
      let whole = prepared + String(decoding: try #require(Data(base64Encoded: String(inner))), as: UTF8.self)
      #expect(!whole.contains("AAAAHGZ0eXBoZWlj") && !whole.contains("%89PNG"))
    }

    @Test("a large picture inside is reduced to what an attribute can hold")
    func largePicture() throws {
      var numbers = SeededGenerator(seed: 3)
      let noise = Bitmap(size: PixelSize(2000, 1500)) { _, _ in
        let value = UInt32.random(in: 0...UInt32.max, using: &numbers)
        return Pixel(red: UInt8(value & 0xFF), green: UInt8(value >> 8 & 0xFF), blue: 200)
      }
      let data = try CodecRegistry.standard.encode(
        noise, as: .webp, options: EncodingOptions(isLossless: true))
      let bitmap = try picture(embedded("data:;base64,\(data.base64EncodedString())")).bitmap
      #expect(bitmap[1, 1].alpha == 255 && bitmap[1, 1].blue > 190)
    }

    @Test("a compressed drawing is drawn within the limit on bytes, also in UTF-16")
    func compressed() throws {
      let packed = try #require(Data(base64Encoded: Self.packed))
      #expect(try picture(packed).bitmap[3, 3] == Pixel(red: 255, green: 0, blue: 0))
      let limits = DecodingLimits(encodedByteCount: packed.count)
      #expect(throws: ImageDecodingError.self) { try Self.codecs.header(of: packed, limits: limits) }
      let error = #expect(throws: ImageDecodingError.self) { try Self.codecs.header(of: packed.dropLast(20)) }
      #expect(error == .truncated(.svg, stage: "compressed data"))
      let text = "\u{feff}<svg xmlns='http://www.w3.org/2000/svg' width='8' height='4'/>"
      for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
        #expect(try Self.codecs.header(of: #require(text.data(using: encoding))).size == PixelSize(8, 4))
      }
    }

    private static let packed = """
      H4sIAAAAAAACA03MPQ6AIAxA4auwdbNEGYwBLiNISfAn0FiPrw4mzt/Ls+1M6lrL1hwQ8zEhikgnQ7fXhL3WGp8ClOTA5GAE\
      RTEnYgcGvK1x5o/Mn9SSS3FQYwD09l34G6dEds9qAAAA
      """
  }
#endif
