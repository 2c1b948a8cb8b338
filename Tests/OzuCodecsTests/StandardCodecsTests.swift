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

  @Test("read and write what the traits allow, and name the trait of what they do not")
  func types() throws {
    let types = Set(CodecRegistry.standard.decodableTypes)
    #expect(types.isSuperset(of: [.jpeg, .png, .gif, .bmp, .ico]))
    #expect(Set(CodecRegistry.standard.encodableTypes).isSuperset(of: [.jpeg, .png]))
    let optional: [(String, ImageType, String)] = [
      ("webp-lossy.webp", .webp, "WebP"), ("avif-alpha.avif", .avif, "AVIF"),
      ("heic-420.heic", .heic, "HEIF"),
      ("jxl-lossy.jxl", .jxl, "JXL"), ("tiff-raw.tif", .tiff, "TIFF"),
    ]
    for (file, type, trait) in optional where !types.contains(type) {
      #expect(throws: DecodingError.unsupportedType(type, reason: "built without \(trait)")) {
        try picture("matrix/\(file)")
      }
    }
  }
}
