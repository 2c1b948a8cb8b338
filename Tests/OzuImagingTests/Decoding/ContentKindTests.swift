import Foundation
import OzuImaging
import OzuTesting
import Testing

@Suite("Content sniffing")
struct ContentKindTests {
  static func bytes(_ values: UInt8...) -> Data { Data(values) + Data(repeating: 0, count: 16) }

  /// The first box of an ISO base media file.
  static func ftyp(_ brands: String..., size: Int? = nil) -> Data {
    let major = Data((brands.first ?? "").utf8)
    let compatible = Data(brands.dropFirst().joined().utf8)
    let box = Data("ftyp".utf8) + major + Data([0, 0, 0, 0]) + compatible
    return Data([0, 0, 0, UInt8(size ?? box.count + 4)]) + box
  }

  static let images: [(Data, ImageType)] = [
    (bytes(0xFF, 0xD8, 0xFF, 0xE0), .jpeg),
    (bytes(0xFF, 0xD8, 0xFF, 0xDB), .jpeg),
    (bytes(0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A), .png),
    (Data("GIF87a".utf8), .gif),
    (Data("GIF89a".utf8), .gif),
    (Data("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 ".utf8), .webp),
    (bytes(0xFF, 0x0A), .jxl),
    (bytes(0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A), .jxl),
    (bytes(0x49, 0x49, 0x2A, 0), .tiff),
    (bytes(0x4D, 0x4D, 0, 0x2A), .tiff),
    (bytes(0x49, 0x49, 0x2B, 0), .tiff),
    (bytes(0x4D, 0x4D, 0, 0x2B), .tiff),
    (bytes(0x42, 0x4D, 0x36, 0x10, 0, 0, 0, 0, 0, 0), .bmp),
    (bytes(0, 0, 1, 0, 3, 0), .ico),
    (bytes(0, 0, 2, 0, 1, 0), .ico),
    (ftyp("avif", "mif1", "miaf"), .avif),
    (ftyp("avis", "msf1"), .avif),
    (ftyp("mif1", "avif", "miaf"), .avif),
    (ftyp("heic", "mif1"), .heic),
    (ftyp("mif1", "heic"), .heic),
    (ftyp("msf1", "hevc"), .heic),
    (ftyp("avif", size: 0), .avif),
    (ftyp("mif1", "avif", size: 0), .avif),
    // A brand after the end of the box does not count.
    (ftyp("heic", "mif1", size: 16) + Data("avif".utf8), .heic),
    (Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), .svg),
    (Data(" \r\n\t<SVG>".utf8), .svg),
    (Data("<?xml version='1.0'?>\n<svg/>".utf8), .svg),
    (Data("<!-- drawn by hand --><svg/>".utf8), .svg),
    (Data("<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN'>".utf8), .svg),
    (Data([0xEF, 0xBB, 0xBF]) + Data("<svg/>".utf8), .svg),
    (Data("<svg:svg xmlns:svg='http://www.w3.org/2000/svg'>".utf8), .svg),
    (Data("<?xml version='1.0'?>\n<!-- a --><S-1:SVG\nwidth='1'/>".utf8), .svg),
    (Data("<svg>".utf8), .svg),
    (Data("<?xml version='1.0'?><svg><foreignObject><html/></foreignObject></svg>".utf8), .svg),
  ]

  @Test("images are known by their first bytes", arguments: images)
  func image(data: Data, type: ImageType) {
    #expect(ContentKind(sniffing: data) == .image(type))
  }

  static let others: [(Data, String)] = [
    (Data("<!DOCTYPE html><html>".utf8), "an HTML page"),
    (Data("\n\n  <HTML lang=en>".utf8), "an HTML page"),
    (Data([0xEF, 0xBB, 0xBF]) + Data("<!doctype html>".utf8), "an HTML page"),
    (Data([0xEF, 0xBB, 0xBF, 0x0A]) + Data("<head>".utf8), "an HTML page"),
    (Data("<title>caf\u{e9}</title>".utf8), "an HTML page"),
    (Data("<title>caf".utf8) + Data([0xE9]) + Data("</title>".utf8), "an HTML page"),
    (Data("<?xml version='1.0'?><!DOCTYPE html PUBLIC ''>".utf8), "an HTML page"),
    (Data("<!-- x --><html><body><svg/>".utf8), "an HTML page"),
    (Data("<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>".utf8), "an XML document"),
    (Data("<?xml version='1.0'?><svg:svgz/><svgs/><a:b:svg/><:svg/>".utf8), "an XML document"),
    (Data("<svgs/>".utf8), "text"),
    (Data("{\"error\": 404}".utf8), "JSON"),
    (Data(" [1, 2]".utf8), "JSON"),
    (Data("Not Found".utf8), "text"),
    (Data("BM is how this text begins".utf8), "text"),
    (Data("Gr\u{fc}\u{df}e".utf8), "text"),
    (Data(String(repeating: "\u{20ac}", count: 400).utf8), "text"),
    (Data(" \n\t ".utf8), "blank text"),
    (Data([0xEF, 0xBB, 0xBF]), "blank text"),
    (Data("%PDF-1.7".utf8), "a PDF document"),
    (bytes(0x50, 0x4B, 3, 4), "a ZIP archive"),
    (bytes(0x1F, 0x8B, 8), "gzip-compressed data"),
    (bytes(0x1A, 0x45, 0xDF, 0xA3), "a WebM or Matroska video"),
    (ftyp("isom", "mp42", "avc1"), "an MPEG-4 video"),
    (ftyp("qt  "), "an MPEG-4 video"),
  ]

  @Test("content that is not an image is named", arguments: others)
  func other(data: Data, kind: String) {
    #expect(ContentKind(sniffing: data) == .other(kind))
  }

  static let unknown: [Data] = [
    Data([0]), Data([0xFF]), Data([0xFF, 0xD8]),
    Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A]),
    Data([0x4D, 0x4D, 0]), Data([0, 0, 1]), Data([0, 0, 1, 0, 3]),
    Data("RIFF\u{1}\u{2}\u{3}\u{4}WAVE".utf8),
    ftyp("avif").prefix(11),
    Data([0xFE, 0xED, 0xFA, 0xCE, 0xCA, 0xFE]),
    Data([0x42, 0x4D, 0x36, 0x10, 0, 0, 1, 0, 0, 0]),
  ]

  @Test("cut-off signatures and other bytes are unknown", arguments: unknown)
  func unknowns(data: Data) {
    #expect(ContentKind(sniffing: data) == .unknown)
  }

  @Test("no bytes are empty content")
  func empty() {
    #expect(ContentKind(sniffing: Data()) == .empty)
  }

  @Test("a slice of other data is judged by its own first bytes")
  func slice() {
    let data = Data("xx".utf8) + Signature.png
    #expect(ContentKind(sniffing: data.dropFirst(2)) == .image(.png))
  }

  @Test("no prefix of random bytes crashes the sniffer")
  func random() {
    var numbers = SeededGenerator(seed: 9)
    for length in 0..<200 {
      var data = Data((0..<length).map { _ in UInt8.random(in: 0...255, using: &numbers) })
      if length > 8 { data.replaceSubrange(4..<8, with: Data("ftyp".utf8)) }
      let kind = ContentKind(sniffing: data)
      #expect((kind == .empty) == (length == 0))
    }
  }

  @Test("types have names for files, messages and the web")
  func names() {
    #expect(ImageType.jpeg.fileExtension == "jpg")
    #expect(ImageType.webp.fileExtension == "webp")
    #expect(ImageType.jxl.displayName == "JPEG XL")
    #expect(ImageType.jpeg.displayName == "JPEG")
    #expect(ImageType.svg.mediaType == "image/svg+xml")
    #expect(ImageType.jpeg.mediaType == "image/jpeg")
    #expect("\(ImageType(rawValue: "qoi"))" == "qoi")
  }
}
