#if SVG
  import Foundation
  import OzuCodecs
  import OzuImaging
  import Testing

  @Suite("SVG decoder")
  struct SVGDecoderTests {
    private func document(_ content: String, _ attributes: String = "width='20' height='10'") -> Data {
      Data("<svg xmlns='http://www.w3.org/2000/svg' \(attributes)>\(content)</svg>".utf8)
    }

    private func picture(_ data: Data, _ resize: Resize? = nil) throws -> Picture {
      try CodecRegistry.standard.picture(from: data, resize: resize)
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

    @Test("draws what a crop leaves")
    func cropped() throws {
      let data = document("<rect width='10' height='10' fill='#0f0'/>")
      let bitmap = try picture(data, Resize(PixelSize(40, 40), mode: .aspectFill, crops: true)).bitmap
      #expect(bitmap.size == PixelSize(40, 40))
      #expect(bitmap[18, 20] == Pixel(red: 0, green: 255, blue: 0))
      #expect(bitmap[22, 20].alpha == 0)
    }

    @Test("reads no file and no entity from outside")
    func outside() throws {
      let image = document("<image href='file:///etc/hostname' width='20' height='10'/>")
      #expect(try picture(image).bitmap[5, 5].alpha == 0)
      let entity = Data(
        """
        <?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>
        <svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><text y="9">&x;</text></svg>
        """.utf8)
      #expect((try? picture(entity).bitmap[5, 5].alpha) ?? 0 == 0)
    }

    @Test("survives nesting without an end, and refuses what is too large")
    func hostile() throws {
      let depth = 20_000
      let nested = document(
        String(repeating: "<g>", count: depth) + String(repeating: "</g>", count: depth))
      do throws(DecodingError) {
        #expect(try CodecRegistry.standard.picture(from: nested).size == PixelSize(20, 10))
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
