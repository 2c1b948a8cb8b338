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
        guard case .unsupportedType(.svg, let reason) = $0 as? DecodingError else { return false }
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
      let error = #expect(throws: DecodingError.self) { try picture(data) }
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
      do throws(DecodingError) {
        #expect(try Self.codecs.picture(from: nested).size == PixelSize(20, 10))
      } catch {
        #expect(!error.description.isEmpty)
      }
      let error = #expect(throws: DecodingError.self) {
        try picture(document("", "width='1e9' height='1e9'"))
      }
      guard case .limitExceeded = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }
#endif
