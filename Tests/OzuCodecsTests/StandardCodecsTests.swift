import Foundation
import OzuCodecs
import OzuImaging
import Testing

@Suite("Standard codecs")
struct StandardCodecsTests {
  @Test("say what is no image")
  func notAnImage() throws {
    let html = try fixture("sniffing/html-error-page.jpg")
    #expect(throws: DecodingError.notAnImage(kind: "an HTML page")) {
      try CodecRegistry.standard.picture(from: html)
    }
    #expect(throws: DecodingError.emptyData) { try CodecRegistry.standard.picture(from: Data()) }
  }

  @Test(
    "say of a known format that it has no decoder",
    arguments: [
      (Data("<svg xmlns='x'/>".utf8), ImageType.svg),
      (Data([0x49, 0x49, 0x2A, 0, 8, 0, 0, 0]), .tiff), (Data([0xFF, 0x0A, 0, 0]), .jxl),
    ])
  func absent(data: Data, type: ImageType) {
    let error = #expect(throws: DecodingError.self) { try CodecRegistry.standard.picture(from: data) }
    #expect(error == .unsupportedType(type, reason: "this version of Ozu has no decoder for it"))
  }

  @Test("read JPEG and PNG always, WebP with its trait, and write JPEG and PNG")
  func types() throws {
    let types = Set(CodecRegistry.standard.decodableTypes)
    #expect(types.isSuperset(of: [.jpeg, .png]))
    #expect(Set(CodecRegistry.standard.encodableTypes) == [.jpeg, .png])
    #if WebP
      #expect(types.contains(.webp))
    #else
      #expect(throws: DecodingError.unsupportedType(.webp, reason: "built without WebP")) {
        try picture("matrix/webp-lossy.webp")
      }
    #endif
  }
}
