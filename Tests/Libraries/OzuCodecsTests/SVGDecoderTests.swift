#if SVG
  import Foundation
  import OzuCodecs
  import OzuLibraryCodecs
  import OzuStandardCodecs
  import OzuImaging
  import Testing

  @Suite("SVG decoder")
  struct SVGDecoderTests {
    /// The standard codecs have no decoder for drawings.
    private static let codecs = {
      var codecs = CodecRegistry()
      codecs.register(decoder: SVGDecoder())
      return codecs
    }()

    private func document(_ content: String, _ attributes: String = "width='20' height='10'") -> Data {
      Data("<svg xmlns='http://www.w3.org/2000/svg' \(attributes)>\(content)</svg>".utf8)
    }

    private func picture(_ data: Data, _ resize: Resize? = nil) throws -> Picture {
      try Self.codecs.picture(from: data, resize: resize)
    }

    @Test("draws at the size that the document states")
    func intrinsic() throws {
      let result = try picture(document("<rect width='10' height='10' fill='#f00'/>"))
      #expect(result.size == PixelSize(20, 10))
      #expect(result.bitmap[3, 3] == Pixel(red: 255, green: 0, blue: 0))
      #expect(result.bitmap[15, 3] == Pixel(red: 0, green: 0, blue: 0, alpha: 0))
    }

    private static let box = "viewBox='0 0 30 20'"

    /// The sizes that `rsvg-convert` 2.54 writes for a rectangle of 17 x 11.5 pixels at 2, 3; `nil` where it refuses.
    private static let sizes: [(String, PixelSize?)] = [
      ("width='10.4' \(box)", PixelSize(11, 7)),
      ("width='0.3' \(box)", PixelSize(1, 1)),
      ("width='2em' \(box)", PixelSize(24, 16)),
      ("width='1.5ex' \(box)", PixelSize(9, 6)),
      ("width='3cm' \(box)", PixelSize(114, 76)),
      ("width='10mm' \(box)", PixelSize(38, 26)),
      ("width='0.5in' \(box)", PixelSize(48, 32)),
      ("width='12pt' \(box)", PixelSize(16, 11)),
      ("width='2pc' \(box)", PixelSize(32, 22)),
      ("width='30px' \(box)", PixelSize(30, 20)),
      ("width='1e1' \(box)", PixelSize(10, 7)),
      ("width=' 7 ' \(box)", PixelSize(7, 5)),
      ("width='+9' \(box)", PixelSize(9, 6)),
      ("width='auto' \(box)", PixelSize(30, 20)),
      ("width='50%' \(box)", PixelSize(30, 20)),
      ("width='4rem' \(box)", PixelSize(30, 20)),
      ("width='3ch' \(box)", PixelSize(30, 20)),
      ("width='5vw' \(box)", PixelSize(30, 20)),
      ("width='foo' \(box)", PixelSize(30, 20)),
      ("width='7 px' \(box)", PixelSize(30, 20)),
      ("width='-5' \(box)", PixelSize(30, 20)),
      ("width='0' \(box)", nil),
      ("height='10.4' \(box)", PixelSize(16, 11)),
      ("width='10.4' height='10.4' \(box)", PixelSize(11, 11)),
      ("width='50%' height='10.4' \(box)", PixelSize(16, 11)),
      ("height='2em' \(box)", PixelSize(36, 24)),
      ("width='10.4' height='2em' \(box)", PixelSize(11, 24)),
      ("width='50%' height='2em' \(box)", PixelSize(36, 24)),
      ("height='auto' \(box)", PixelSize(30, 20)),
      ("width='10.4' height='auto' \(box)", PixelSize(11, 7)),
      ("width='50%' height='auto' \(box)", PixelSize(30, 20)),
      ("height='50%' \(box)", PixelSize(30, 20)),
      ("width='10.4' height='50%' \(box)", PixelSize(11, 7)),
      ("width='50%' height='50%' \(box)", PixelSize(30, 20)),
      ("height='0' \(box)", nil),
      ("width='10.4' height='0' \(box)", nil),
      ("width='50%' height='0' \(box)", nil),
      ("\(box)", PixelSize(30, 20)),
      ("width='10.4' height='20.5'", PixelSize(11, 21)),
      ("width='2em' height='3cm'", PixelSize(24, 114)),
      ("width='12pt' height='2pc'", PixelSize(16, 32)),
      ("width='0.5in' height='10mm'", PixelSize(48, 38)),
      ("width='8'", PixelSize(17, 12)),
      ("width='8' height='50%'", PixelSize(17, 12)),
      ("", PixelSize(17, 12)),
      ("viewBox='0 0 10.5 3.3'", PixelSize(11, 4)),
      ("width='0.3' viewBox='0 0 10.5 3.3'", PixelSize(1, 1)),
      ("height='20.5' viewBox='5 5 10 40'", PixelSize(6, 21)),
      ("viewBox='0,0,12,12'", PixelSize(12, 12)),
      ("width='8' height='8' viewBox='0 0 0 10'", PixelSize(8, 8)),
      ("viewBox='0 0 0 10'", nil),
      ("width='8' viewBox='0 0 0 10'", nil),
      ("viewBox='1 2 3'", nil),
      ("font-size='20' width='2em' height='3ex'", PixelSize(40, 30)),
      ("font-size='20' width='50%' height='2em' \(box)", PixelSize(60, 40)),
      ("style='font-size:10px' width='2em' \(box)", PixelSize(20, 14)),
      ("style='width:60px' width='8' height='2em'", PixelSize(60, 24)),
      ("style='width:60px' \(box)", PixelSize(60, 40)),
    ]

    @Test("has the size that rsvg-convert computes", arguments: sizes)
    func size(_ attributes: String, _ size: PixelSize?) throws {
      let data = document("<rect x='2' y='3' width='17' height='11.5'/>", attributes)
      guard let size else {
        let error = #expect(throws: ImageDecodingError.self) { try Self.codecs.header(of: data) }
        #expect(error == .corrupt(.svg, stage: "header", reason: "a drawing without a size"))
        return
      }
      #expect(try Self.codecs.header(of: data).size == size)
      #expect(try picture(data).size == size)
    }

    @Test("a drawing whose size is no whole number is not stretched at its own size")
    func fractions() throws {
      let data = document("<rect width='10.5' height='20.25' fill='#f00'/>", "width='10.5' height='20.25'")
      let bitmap = try picture(data).bitmap
      #expect(bitmap.size == PixelSize(11, 21))
      #expect(bitmap[9, 19] == Pixel(red: 255, green: 0, blue: 0))
      #expect(abs(Int(bitmap[10, 5].alpha) - 128) < 3 && abs(Int(bitmap[5, 20].alpha) - 64) < 3)
    }

    @Test(
      "results have the proportions of the drawing, not those of its size in whole pixels",
      arguments: [
        ("width='1.2' height='0.8'", Resize(PixelSize(300, 300)), PixelSize(300, 200)),
        ("width='0.3' height='0.4'", Resize(PixelSize(300, 300)), PixelSize(225, 300)),
        ("height='1em' viewBox='0 0 576 512'", Resize(PixelSize(144, 999)), PixelSize(144, 128)),
        (
          "width='1.2' height='0.8'", Resize(PixelSize(300, 300), mode: .aspectFill, crops: false),
          PixelSize(450, 300)
        ),
        (
          "width='1.2' height='0.8'", Resize(PixelSize(300, 300), mode: .aspectFill, crops: true),
          PixelSize(300, 300)
        ),
        ("width='1.2' height='0.8'", Resize(PixelSize(90, 90), mode: .fill), PixelSize(90, 90)),
      ])
    func proportions(_ attributes: String, _ resize: Resize, _ size: PixelSize) throws {
      let data = document("<rect width='1000' height='1000' fill='#00f'/>", attributes)
      let bitmap = try picture(data, resize).bitmap
      try #require(bitmap.size == size)
      // All of it is covered: the drawing fills the size.
      for (x, y) in [(0, 0), (size.width - 1, 0), (size.width - 1, size.height - 1)] {
        #expect(bitmap[x, y] == Pixel(red: 0, green: 0, blue: 255))
      }
    }

    @Test(
      "a circle stays round where a side is rounded, and is an ellipse where that is wanted",
      arguments: [
        (Resize(PixelSize(37, 37)), 1.0),
        (Resize(PixelSize(100, 10), mode: .fill), 100.0 / 321 / (10.0 / 140)),
      ])
    func round(_ resize: Resize, _ proportion: Double) throws {
      let data = document(
        "<circle cx='160' cy='70' r='60' fill='#000'/>", "width='321' height='140'")
      let bitmap = try picture(data, resize).bitmap
      // The sums of alpha along a row and a column through the middle.
      let row = (0..<bitmap.size.width).reduce(0) { $0 + Int(bitmap[$1, bitmap.size.height / 2].alpha) }
      let column = (0..<bitmap.size.height).reduce(0) { $0 + Int(bitmap[bitmap.size.width / 2, $1].alpha) }
      #expect(abs(Double(row) / Double(column) / proportion - 1) < 0.03)
    }

    @Test(
      "a part of a drawing is drawn, not enlarged from pixels, unless it is very small",
      arguments: [(10, 20), (10, 200), (2, 400)])
    func part(side: Int, size: Int) throws {
      let data = document("<rect width='5' height='10' fill='#0f0'/>", "width='20' height='20'")
      let region = PixelRectangle(x: 5 - side / 2, y: 0, width: side, height: side)
      let resize = Resize(PixelSize(size, size), region: region)
      let bitmap = try picture(data, resize).bitmap
      #expect(bitmap.size == PixelSize(size, size))
      #expect(bitmap[size / 2 - 1, size / 4] == Pixel(red: 0, green: 255, blue: 0))
      #expect(bitmap[size / 2, size / 4].alpha == 0)
    }

    @Test("a tiny part of a large drawing is enlarged within the limits")
    func tinyPart() throws {
      let data = document("<rect width='50' height='100' fill='#0f0'/>", "width='5000' height='5000'")
      let resize = Resize(
        PixelSize(400, 400), region: PixelRectangle(x: 0, y: 0, width: 100, height: 100))
      let bitmap = try picture(data, resize).bitmap
      #expect(bitmap[100, 100] == Pixel(red: 0, green: 255, blue: 0) && bitmap[300, 100].alpha == 0)
    }

    @Test(
      "an error is one line that tells a cut drawing from a wrong one",
      arguments: [
        ("<rect></svg>", false), ("<rect/>", true), ("<rect width=", true), ("&a;</svg>", false),
        ("</svg", true),
        ("<a:svg/></b></svg:svg>", false), ("", true),
      ])
    func errors(_ end: String, _ isCut: Bool) throws {
      let data = Data("<svg xmlns='http://www.w3.org/2000/svg' width='4' height='4'>\(end)".utf8)
      let error = try #require(#expect(throws: ImageDecodingError.self) { try picture(data) })
      #expect((error == .truncated(.svg, stage: "header")) == isCut, "\(error)")
      #expect(!error.description.contains { $0.isNewline } && !error.description.hasSuffix(" "))
    }

    @Test("draws larger or smaller rather than resampling, with sharp edges")
    func scaled() throws {
      let data = document("<rect width='10' height='10' fill='#00f'/>")
      for factor in [1, 4, 20] {
        let size = PixelSize(20 * factor, 10 * factor)
        let bitmap = try picture(data, Resize(size)).bitmap
        #expect(bitmap.size == size)
        #expect(bitmap[10 * factor - 1, 0] == Pixel(red: 0, green: 0, blue: 255))
        #expect(bitmap[10 * factor, 0].alpha == 0)
      }
    }

    @Test(
      "a side that is too long for cairo is refused with the reason", arguments: [32_767, 32_768, 40_000])
    func longest(width: Int) throws {
      let data = document("<rect width='10' height='1' fill='#00f'/>", "width='\(width)' height='1'")
      guard width > 32_767 else {
        #expect(try picture(data).size == PixelSize(width, 1))
        return
      }
      #expect {
        try picture(data)
      } throws: {
        guard case .unsupportedType(.svg, let reason) = $0 as? ImageDecodingError else { return false }
        return reason.contains("32767")
      }
    }

    @Test("draws only the cropped region")
    func cropped() throws {
      let data = document("<rect width='10' height='10' fill='#0f0'/>")
      let bitmap = try picture(data, Resize(PixelSize(40, 40), mode: .aspectFill, crops: true)).bitmap
      #expect(bitmap.size == PixelSize(40, 40))
      #expect(bitmap[18, 20] == Pixel(red: 0, green: 255, blue: 0))
      #expect(bitmap[22, 20].alpha == 0)
    }

    @Test(
      "reads no other file, under any kind of reference",
      arguments: [
        "<image xlink:href='PICTURE' width='20' height='10'/>",
        "<image href='PICTURE' width='20' height='10'/>",
        "<use xlink:href='DRAWING#a'/>", "<image xlink:href='DRAWING' width='20' height='10'/>",
        "<rect width='20' height='10' fill='url(DRAWING#g)'/>",
        "<filter id='f'><feImage xlink:href='PICTURE'/></filter><rect width='20' height='10' filter='url(#f)'/>",
        "<style>@import url('STYLE');</style><rect id='b' width='20' height='10' fill='none'/>",
        "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='DRAWING'/>",
        "<text y='9'><xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='STYLE' parse='text'/></text>",
      ], ["file://", ""])
    func outside(_ content: String, _ scheme: String) throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-svg-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let inside =
        "<linearGradient id='g'><stop stop-color='red'/></linearGradient><rect id='a' width='20' height='10'/>"
      try document(inside).write(to: folder.appending(path: "a.svg"))
      try Data("#b { fill: red !important }".utf8).write(to: folder.appending(path: "a.css"))
      let red = Bitmap(size: PixelSize(20, 10)) { _, _ in Pixel(red: 255, green: 0, blue: 0) }
      try CodecRegistry.standard.encode(red, as: .png).write(to: folder.appending(path: "a.png"))
      func place(_ name: String) -> String {
        scheme + folder.appending(path: name).path(percentEncoded: false)
      }
      let content = content.replacing("PICTURE", with: place("a.png")).replacing(
        "DRAWING", with: place("a.svg")
      )
      .replacing("STYLE", with: place("a.css"))
      let data = document(content, "xmlns:xlink='http://www.w3.org/1999/xlink' width='20' height='10'")
      let bitmap = try picture(data).bitmap
      for (x, y) in [(1, 1), (5, 5), (2, 7), (15, 8)] { #expect(bitmap[x, y].alpha == 0) }
    }

    @Test("reads no external entity")
    func entity() throws {
      let entity = Data(
        """
        <?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>
        <svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><text y="9">&x;</text></svg>
        """.utf8)
      #expect((try? picture(entity).bitmap[5, 5].alpha) ?? 0 == 0)
    }

    /// librsvg 2.60 and newer draw at most 50 layers inside each other.
    private static let limitsLayers: Bool = {
      func number(_ name: String) -> UInt32 {
        guard let library = dlopen("librsvg-2.so.2", RTLD_LAZY), let place = dlsym(library, name) else {
          return 0
        }
        return place.load(as: UInt32.self)
      }
      return (number("rsvg_major_version"), number("rsvg_minor_version")) >= (2, 60)
    }()

    @Test("draws a chain of a thousand references, which needs a deep stack, unless the library refuses it")
    func chain() throws {
      let links = (0..<1000).map { "<g id='a\($0)'><use xlink:href='#a\($0 + 1)'/></g>" }.joined()
      let data = document(
        "<defs>\(links)<rect id='a1000' width='5' height='5'/></defs><use xlink:href='#a0'/>",
        "xmlns:xlink='http://www.w3.org/1999/xlink' width='20' height='10'")
      guard Self.limitsLayers else {
        #expect(try picture(data).bitmap[2, 2].alpha == 255)
        return
      }
      let error = #expect(throws: ImageDecodingError.self) { try picture(data) }
      guard case .corrupt(.svg, "image data", let reason) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(!reason.isEmpty)
    }

    @Test("draws very deep nesting or reports an error, and refuses a huge size")
    func hostile() throws {
      let depth = 20_000
      let nested = document(
        String(repeating: "<g>", count: depth) + String(repeating: "</g>", count: depth))
      do throws(ImageDecodingError) {
        #expect(try Self.codecs.picture(from: nested).size == PixelSize(20, 10))
      } catch {
        #expect(!error.description.isEmpty)
      }
      let error = #expect(throws: ImageDecodingError.self) {
        try picture(document("", "width='1e9' height='1e9'"))
      }
      guard case .limitExceeded = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }
#endif
