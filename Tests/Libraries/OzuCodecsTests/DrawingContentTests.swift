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
        <image xlink:href='\(heic)' xmlns:y='y' y:href='#b'/>
        <image width='4' height='4' xlink:href='\(address)'/>\(images)</svg>
        """.utf8)
      let picture = try picture(data)
      #expect(picture.bitmap[1, 1] == Pixel(red: 255, green: 0, blue: 0))
      #expect(
        picture.notes == [
          "3 pictures inside the drawing are left out: HEIC",
          "a picture inside the drawing is left out: there are no bytes",
          "a picture inside the drawing is left out: truncated GIF: the file ends in its header",
          "a picture inside the drawing is left out: its address is in an entity",
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

    /// Ways to a picture that no attribute of a picture shows. `PICTURE` stands for its address, `DRAWING` for that of a
    /// drawing with it, `CHARACTERS` for the picture's address with the first character as a number, `SHEET` for the address
    /// of a style sheet with that of the drawing, and `:DRAWING` and `:SHEET` for what follows the scheme. All but the last
    /// five get red pixels from librsvg 2.54.
    private static let hiddenPictures = [
      // The address, the element, and the element in other characters.
      ("<!ENTITY p 'PICTURE'>", "<image width='4' height='4' href='&p;'/>"),
      ("<!ENTITY p '<image width=\"4\" height=\"4\" href=\"PICTURE\"/>'>", "&p;"),
      ("<!ENTITY p '&#60;im&#x61;ge width=\"4\" height=\"4\" href=\"CHARACTERS\"/>'>", "&p;"),
      ("<!ENTITY a 'd'><!ENTITY p '&a;CHARACTERS'>", "<image width='4' height='4' href='&p;'/>"),
      ("<!-- ' --><!ENTITY p \"PICTURE\">", "<image width='4' height='4' href=' &p;'/>"),
      ("<!ATTLIST image href CDATA 'PICTURE'>", "<image width='4' height='4'/>"),
      ("<!ATTLIST image href CDATA 'CHARACTERS'>", "<image width='4' height='4'/>"),
      ("", "<image width='4' height='4' href='CHARACTERS'/>"),
      // References to other documents.
      ("", "<use href='DRAWING#a'/>"),
      ("", "<use xlink:href='&#100;DRAWING#a'/>"),
      ("", "<rect width='4' height='4' fill='url(DRAWING#p)'/>"),
      ("", "<x:include xmlns:x='http://www.w3.org/2001/XInclude' href='DRAWING'/>"),
      ("", "<image width='4' height='4' href='ENCODED'/>"),
      // The same in style sheets, and in the ways in which XML and CSS write an address.
      ("", "<style>rect{fill:url(DRAWING#p)}</style>"),
      ("", "<s:style xmlns:s='http://www.w3.org/2000/svg'>rect { fill: url( 'DRAWING#p' ) }</s:style>"),
      ("", "<style><![CDATA[rect{filter:url(\"DRAWING#f\")}]]></style>"),
      ("", "<style>rect{fill:url(da<!-- x -->ta:DRAWING#p)}</style>"),
      ("", "<style>rect{fill:url(da<g/>ta<![CDATA[:DRAWING#p)}]]></style>"),
      ("", "<style>rect{fill:\\75rl(DRAWING#p)}</style>"),
      ("", "<style>rect{fill:url(D\\000041TA:DRAWING#p)}</style>"),
      ("", "<style>rect{fill:url('da\\\nta:DRAWING#p')}</style>"),
      ("", "<rect width='4' height='4' style='fill:\\75rl(d\\61 ta:DRAWING#p)'/>"),
      ("", "<path d='M0 0h4v4h-4z' marker-start='&#117;rl&#40;&#100;ata:DRAWING#m&#41;'/>"),
      ("<!ENTITY a 'da'><!ENTITY b 'ta:DRAWING'>", "<rect width='4' height='4' fill='url(&a;&b;#p)'/>"),
      ("<!ENTITY a 'da'><!ENTITY b 'ta:DRAWING'>", "<style>rect{fill:url(&a;&b;#p)}</style>"),
      ("<!ENTITY g '<g/>'>", "<style>rect{fill:url(da&g;ta:DRAWING#p)}</style>"),
      ("<!ENTITY a '&#38;#100;ata:DRAWING'>", "<rect width='4' height='4' fill='url(&a;#p)'/>"),
      ("<!ATTLIST rect fill CDATA 'url(d\\61 ta:DRAWING#p)'>", "<rect width='4' height='4'/>"),
      ("", "<style>@import url(SHEET);</style>"),
      ("", "<style>@import '\\64 ata:SHEET';</style>"),
      ("<?xml-stylesheet type='text/css' href='data:text/css,rect%7Bfill:red%7D'?>", ""),
      ("<?xml-stylesheet type='text/css' href='dat&#97;:text/css,rect%7Bfill:red%7D'?>", ""),
      ("", "<style>rect{fill:url(/**/'DRAWING#p')}</style>"),
      ("", "<style>rect{fill:src('DRAWING#p')}</style>"),
      ("", "<style>rect{fill:image-set('DRAWING#p' 1x)}</style>"),
      ("", "<style>rect{cursor:url(DRAWING)}</style>"),
      ("", "<style>rect{--a:url(DRAWING#p);fill:var(--a)}</style>"),
    ]

    @Test(
      "a picture that entities, defaults, style sheets or other documents hide is not drawn",
      arguments: hiddenPictures)
    func hidden(declarations: String, content: String) throws {
      let picture = try "data:image/png;base64,\(Self.red(as: .png))"
      let image = "<image width='4' height='4' href='\(picture)'/>"
      let inner = Data(
        """
        <svg xmlns='http://www.w3.org/2000/svg' width='4' height='4'><g id='a'>\(image)</g>
        <pattern id='p' width='4' height='4' patternUnits='userSpaceOnUse'>\(image)</pattern>
        <filter id='f'><feImage href='\(picture)'/></filter><marker id='m' overflow='visible'>\(image)</marker></svg>
        """.utf8
      ).base64EncodedString()
      func filled(_ text: String) -> String {
        let drawing = "data:image/svg+xml;base64,\(inner)"
        let sheet =
          "data:text/css;base64," + Data("rect{fill:url(\(drawing)#p)}".utf8).base64EncodedString()
        let replaced: [(String, String)] = [
          ("&a;CHARACTERS", "&a;\(picture.dropFirst())"), ("CHARACTERS", "&#100;\(picture.dropFirst())"),
          ("&#100;DRAWING", "&#100;\(drawing.dropFirst())"), (":DRAWING", "\(drawing.dropFirst(4))"),
          ("DRAWING", drawing), ("&colon;:SHEET", "&colon;\(sheet.dropFirst(5))"),
          (":SHEET", "\(sheet.dropFirst(4))"), ("SHEET", sheet), ("PICTURE", picture),
          ("ENCODED", "data:image/svg+xml;base&#54;4,\(inner)"),
        ]
        return replaced.reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
      }
      let isInstruction = declarations.hasPrefix("<?")
      let text = """
        \(isInstruction ? filled(declarations) : "")<!DOCTYPE svg [<!ENTITY blue "#00f">
        \(isInstruction ? "" : filled(declarations))]>
        <svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='4' height='4'>
        <rect width='4' height='4' fill='&blue;'/>\(filled(content))</svg>
        """
      for data in [Data(text.utf8), try #require("\u{feff}\(text)".data(using: .utf16LittleEndian))] {
        let drawn = try self.picture(data)
        #expect(drawn.bitmap[1, 1].red == 0)
        #expect(!drawn.notes.isEmpty)
      }
    }

    @Test("text in UTF-16 or as ASCII writes it is read, and other text is refused")
    func encodings() throws {
      func document(_ encoding: String) -> String {
        "<?xml version='1.0' encoding='\(encoding)'?><svg xmlns='http://www.w3.org/2000/svg' width='8' height='4'/>"
      }
      for encoding in ["UTF-8", "iso-8859-15", "windows-1252", "US-ASCII"] {
        #expect(try Self.codecs.header(of: Data(document(encoding).utf8)).size == PixelSize(8, 4))
      }
      #expect(try Self.codecs.header(of: Data("\u{feff}\(document("UTF-7"))".utf8)).size == PixelSize(8, 4))
      for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
        for mark in ["", "\u{feff}"] {
          let data = try #require((mark + document("utf-16")).data(using: encoding))
          #expect(try Self.codecs.header(of: data).size == PixelSize(8, 4))
          let error = #expect(throws: ImageDecodingError.self) {
            try Self.codecs.header(of: data.dropLast(8))
          }
          #expect(error == .truncated(.svg, stage: "header"))
        }
      }
      for encoding in ["UTF-7", "UTF-16", "Shift_JIS", "IBM037"] {
        let error = #expect(throws: ImageDecodingError.self) {
          try Self.codecs.header(of: Data(document(encoding).utf8))
        }
        #expect(
          error == .unsupportedType(.svg, reason: "its text is in the encoding \(encoding.lowercased())"))
      }
    }

    @Test("other entities and style sheets are as they were, those of Illustrator and with fonts for example")
    func entities() throws {
      let data = Data(
        """
        <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [
        <!ENTITY ns_svg "http://www.w3.org/2000/svg"> <!ENTITY st0 "fill:#f00;"> <!ENTITY st1 'stroke:none;'>
        <!ENTITY ns_imrep "http://ns.adobe.com/ImageReplacement/1.0/"> <!ENTITY square "<path d='M0 0h4v4h-4z'/>"> ]>
        <svg xmlns="&ns_svg;" width='4' height='4'><g class='a' style="&st1;">&square;</g><title>an image</title>
        <style>@font-face { src: url("data:font/woff2;base64,d09GMg==") } .a { &st0; mask: url(#\\6d) } /* data: */</style></svg>
        """.utf8)
      let drawn = try picture(data)
      #expect(drawn.bitmap[1, 1] == Pixel(red: 255, green: 0, blue: 0))
      #expect(drawn.notes.isEmpty)
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
