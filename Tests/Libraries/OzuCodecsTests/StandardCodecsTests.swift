import Foundation
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs
import Testing

@Suite("Standard codecs")
struct StandardCodecsTests {
  @Test("report that a file is not an image")
  func notAnImage() throws {
    let html = try fixture("sniffing/html-error-page.jpg")
    #expect(throws: ImageDecodingError.notAnImage(kind: "an HTML page")) {
      try CodecRegistry.standard.picture(from: html)
    }
    #expect(throws: ImageDecodingError.emptyData) { try CodecRegistry.standard.picture(from: Data()) }
  }

  @Test("leave drawings aside, and name what reads them")
  func drawings() throws {
    #expect(!CodecRegistry.standard.decodableTypes.contains(.svg))
    #expect(!CodecRegistry.straight.decodableTypes.contains(.svg))
    let document = Data("<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>".utf8)
    for read in [
      { _ = try CodecRegistry.standard.header(of: document) },
      { _ = try CodecRegistry.standard.picture(from: document) },
      { _ = try CodecRegistry.standard.deferredPicture(from: document) },
      {
        let decoder = IncrementalDecoder(codecs: .standard)
        decoder.append(document)
        _ = try decoder.picture()
      },
    ] as [() throws -> Void] {
      let error = #expect(throws: ImageDecodingError.self) { try read() }
      guard case .unsupportedType(.svg, let reason) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #if SVG
        #expect(reason.contains("codecs.registerInProcessSVG()"))
      #else
        #expect(reason == "built without SVG")
      #endif
    }
  }

  @Test("read and write what the traits allow, and name the trait of what they do not")
  func types() throws {
    let types = Set(CodecRegistry.standard.decodableTypes)
    // The table of formats knows all, and those of Swift alone are always there.
    let read = ImageFormat.read.filter { $0.decoding != .drawing }
    #expect(types.isSubset(of: Set(read.map(\.type) + [.ozuDelta])))
    #expect(types.isSuperset(of: Set(read.filter { $0.decoding == .own }.map(\.type))))
    #expect(types.isSubset(of: Set(CodecRegistry.standard.builtInTypes)))
    let written = Set(CodecRegistry.standard.encodableTypes)
    #expect(written.isSubset(of: Set(ImageFormat.written.map(\.type) + [.ozuDelta])))
    #expect(
      written.isSuperset(of: Set(ImageFormat.written.filter { $0.decoding == .own }.map(\.type))))
    let optional: [(String, ImageType, String)] = [
      ("webp-lossy.webp", .webp, "WebP"), ("avif-alpha.avif", .avif, "AVIF"),
      ("heic-420.heic", .heic, "HEIF"),
      ("jxl-lossy.jxl", .jxl, "JXL"), ("tiff-raw.tif", .tiff, "TIFF"),
    ]
    for (file, type, trait) in optional where !types.contains(type) {
      #expect(throws: ImageDecodingError.unsupportedType(type, reason: "built without \(trait)")) {
        try picture("matrix/\(file)")
      }
    }
  }
}
