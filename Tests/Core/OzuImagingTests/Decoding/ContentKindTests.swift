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
    (bytes(40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24) + Data(count: 25), .bmp),
    (bytes(0, 0, 1, 0, 3, 0), .ico),
    (bytes(0, 0, 2, 0, 1, 0), .ico),
    (Data("P6 1 1 255\n".utf8), .pnm), (Data("P1\n# a comment".utf8), .pnm), (Data("P5\r\n\t12".utf8), .pnm),
    (Data("P7\nWIDTH 1".utf8), .pnm), (Data("P5#comment\n1 1 255\n".utf8), .pnm),
    (Data("qoif".utf8), .qoi), (Data("icns".utf8), .icns), (bytes(0x38, 0x42, 0x50, 0x53, 0, 1), .psd),
    (bytes(0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0x20), .tga),
    (bytes(9, 1, 9, 0, 0, 0, 1, 24, 0, 0, 0, 0, 1, 0, 1, 0, 8, 0), .tga),
    (bytes(0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 8, 0), .tga),
    (bytes(0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0), .tga),
    (bytes(0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0x60), .tga),
    // An icon, whose number of pictures stands where a TGA has nothing.
    (bytes(0, 0, 2, 0, 1, 0, 16, 16, 0, 0, 1, 0, 1, 0, 1, 0, 24, 0), .ico),
    (ftyp("avif", "mif1", "miaf"), .avif),
    (ftyp("avis", "msf1"), .avif),
    (ftyp("mif1", "avif", "miaf"), .avif),
    (ftyp("heic", "mif1"), .heic),
    (ftyp("mif1", "heic"), .heic), (ftyp("avci", "miaf"), .heic), (ftyp("avcs"), .heic),
    (ftyp("j2ki"), .heic),
    (ftyp("jpeg"), .heic), (ftyp("miaf"), .heic), (ftyp("vvic"), .heic),
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
    (Data("<svg>".utf8), .svg), (Data("<svg/>".utf8) + Data(count: 20), .svg),
    (Data("<?xml version='1.0'?>\n<svg/>\n".utf8) + Data(count: 3), .svg),
    (Data("<?xml version='1.0'?><svg><foreignObject><html/></foreignObject></svg>".utf8), .svg),
    (behind("<!-- \(notice) -->"), .svg),
    (behind("<!--\(notice)--><?editor <svg> \(notice)?>\n<!--a-->"), .svg),
    (behind("<!DOCTYPE drawing [<!ENTITY a '>]'><!-- ]> \(notice)' --><?b ]>?> <!ELEMENT c (d)>]>"), .svg),
    (behind("<!DOCTYPE drawing SYSTEM \"a>b\">"), .svg),
    (behind(String(repeating: " \n", count: 900)), .svg),
    (behind("<!--" + String(repeating: "-", count: 5000) + "-->"), .svg),
    (behind("<!--\(String(repeating: "x", count: ContentKind.longestPrologueByteCount - 60))-->"), .svg),
    (wide("\u{feff}\(CompressedDrawing.text)", .utf16LittleEndian), .svg),
    (wide("\u{feff}\(CompressedDrawing.text)", .utf16BigEndian), .svg),
    (wide("<?xml version='1.0'?><!-- \u{20ac}\(notice) --><svg/>", .utf16LittleEndian), .svg),
    (wide("<?xml version='1.0'?><!-- \u{20ac}\(notice) --><svg/>", .utf16BigEndian), .svg),
    (CompressedDrawing.plain, .svg), (CompressedDrawing.stored, .svg), (CompressedDrawing.named, .svg),
    (CompressedDrawing.wide, .svg), (CompressedDrawing.long, .svg),
  ]

  static let notice = String(repeating: "You may copy <this> \"drawing\". ", count: 90)

  /// A drawing with a prologue.
  static func behind(_ prologue: String) -> Data { Data((prologue + CompressedDrawing.text).utf8) }

  static func wide(_ text: String, _ encoding: String.Encoding) -> Data {
    text.data(using: encoding) ?? Data()
  }

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
    (Data("<?xml version='1.0'?> text <svg/>".utf8), "an XML document"),
    (Data("<!--\(notice)--><html><svg/>".utf8), "an HTML page"),
    (Data("<!--\(notice)--><!DOCTYPE html><svg/>".utf8), "an HTML page"),
    (Data("<!--\(notice)--></a><svg/>".utf8), "an XML document"),
    (Data("<!--\(notice)".utf8), "an XML document"),
    (
      behind("<!--\(String(repeating: "x", count: ContentKind.longestPrologueByteCount))-->"),
      "an XML document"
    ),
    (wide("\u{feff}<html><svg/>", .utf16LittleEndian), "an HTML page"),
    (CompressedDrawing.other, "gzip-compressed data"),
    (CompressedDrawing.plain.prefix(40), "gzip-compressed data"),
    (Data(String(repeating: "\n", count: 2000).utf8), "blank text"),
    (Data("{\"error\": 404}".utf8), "JSON"),
    (Data(" [1, 2]".utf8), "JSON"),
    (Data("Not Found".utf8), "text"),
    (Data("BM is how this text begins".utf8), "text"), (Data("P6 is how this text begins".utf8), "text"),
    (Data("P1".utf8), "text"), (Data("P7\n332".utf8), "text"), (Data("#define A 1".utf8), "text"),
    (Data("Gr\u{fc}\u{df}e".utf8), "text"),
    (Data(String(repeating: "\u{20ac}", count: 400).utf8), "text"),
    (Data(" \n\t ".utf8), "blank text"),
    (Data([0xEF, 0xBB, 0xBF]), "blank text"),
    (Data("%PDF-1.7".utf8), "a PDF document"),
    (bytes(0x50, 0x4B, 3, 4), "a ZIP archive"),
    (bytes(0x1F, 0x8B, 8), "gzip-compressed data"),
    (bytes(0x1A, 0x45, 0xDF, 0xA3), "a WebM or Matroska video"),
    (ftyp("isom", "mp42", "avc1"), "an MPEG-4 video"),
    (ftyp("qt  "), "a QuickTime video"),
    (Data("\0\0\u{8}\0moov\0\0".utf8), "a QuickTime video"),
    (Data("\0\0\0\u{8}wide\0\0".utf8), "a QuickTime video"),
    (Data("RIFF\0\0\0\0AVI LIST".utf8), "an AVI video"),
    (Data("RIFF\0\0\0\0WAVEfmt ".utf8), "a WAVE sound"),
    (bytes(0, 0, 1, 0xBA, 0x44), "an MPEG video"),
    (Data("FLV\u{1}\u{5}".utf8), "a Flash video"),
    (Data("OggS\0\u{2}".utf8), "an Ogg file"),
    (Data("ID3\u{4}\0".utf8), "an MP3 sound"),
    (bytes(0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C), "a 7-Zip archive"),
    (Data("Rar!\u{1A}\u{7}\0".utf8), "a RAR archive"),
    (Data("{\\rtf1\\ansi".utf8), "a rich text document (RTF)"),
  ]

  static let unread: [(Data, String)] = [
    (bytes(0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A), "JPEG 2000"),
    (bytes(0xFF, 0x4F, 0xFF, 0x51), "JPEG 2000"), (bytes(0x49, 0x49, 0xBC, 1), "JPEG XR"),
    (Data("gimp xcf v011".utf8), "XCF (GIMP)"), (bytes(0x76, 0x2F, 0x31, 1), "OpenEXR"),
    (Data("#?RADIANCE\n# x".utf8), "Radiance HDR"), (Data("DDS |\0\0\0".utf8), "DDS"),
    (bytes(0xAB, 0x4B, 0x54, 0x58, 0x20, 0x31, 0x31, 0xBB), "KTX"),
    (bytes(0xAB, 0x4B, 0x54, 0x58, 0x20, 0x32, 0x30, 0xBB), "KTX 2"), (Data("PF\n1 1".utf8), "PFM"),
    (Data("/* XPM */\nstatic".utf8), "XPM"), (Data("#define x_width 16".utf8), "XBM"),
    (Data("SIMPLE  = T".utf8), "FITS"), (Data("AT&TFORM".utf8), "DjVu"),
    (bytes(0x42, 0x50, 0x47, 0xFB), "BPG"), (Data("#?RADIANCE\r\n".utf8), "Radiance HDR"),
    (bytes(10, 5, 1, 8, 0, 0, 0, 0, 1, 0, 1, 0), "PCX"), (Data("SDPX\0\0\u{8}\0V1.0".utf8), "DPX"),
    (Data("XPDS\0\u{8}\0\0V1.0".utf8), "DPX"), (bytes(0xD7, 0xCD, 0xC6, 0x9A, 0, 0), "WMF"),
    (bytes(1, 0, 0, 0, 0x6C, 0, 0, 0) + Data(count: 16) + Data(" EMF".utf8), "EMF"),
    (bytes(0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0x11, 2, 0xFF, 0x0C, 0), "PICT"),
    (Data(count: 512) + bytes(0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0x11, 2, 0xFF, 0x0C, 0), "PICT"),
    (bytes(1, 0xDA, 1, 1, 0, 3), "SGI"), (Data(count: 128) + Data("DICM\u{2}\0".utf8), "DICOM"),
    (bytes(0x8A, 0x4D, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A), "MNG"),
    (bytes(0x8B, 0x4A, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A), "JNG"), (Data("FLIF41\0".utf8), "FLIF"),
    (bytes(0xFF, 0x10, 0xFF, 0x50), "JPEG XS"),
    (bytes(0, 0, 0, 0x0C, 0x4A, 0x58, 0x53, 0x20, 0x0D, 0x0A, 0x87, 0x0A), "JPEG XS"),
    (bytes(0x13, 0xAB, 0xA1, 0x5C, 6, 6, 1), "ASTC"), (Data("PVR\u{3}\0\0\0\0".utf8), "PVR"),
    (Data("farbfeld\0\0\0\u{4}".utf8), "farbfeld"), (bytes(0x59, 0xA6, 0x6A, 0x95, 0, 0), "Sun Raster"),
    (Data("FORM\0\0\u{1}\0ILBMBMHD".utf8), "ILBM"),
    (Data("%!PS-Adobe-3.0 EPSF-3.0\n".utf8), "EPS"), (bytes(0xC5, 0xD0, 0xD3, 0xC6), "EPS"),
  ]

  @Test("formats that are not read have a name in the error", arguments: unread)
  func named(data: Data, name: String) throws {
    guard case .image(let type) = ContentKind(sniffing: data) else {
      Issue.record("\(ContentKind(sniffing: data))")
      return
    }
    #expect(!ImageFormat.of(type).isRead)
    let error = #expect(throws: ImageDecodingError.self) { try CodecRegistry().open(data) }
    #expect("\(String(describing: error))" == "Optional(\(name) cannot be read: Ozu has no decoder for it)")
  }

  @Test("content that is not an image is named", arguments: others)
  func other(data: Data, kind: String) {
    #expect(ContentKind(sniffing: data) == .other(kind))
  }

  static let unknown: [Data] = [
    Data([0]), Data([0xFF]), Data([0xFF, 0xD8]),
    Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A]),
    Data([0x4D, 0x4D, 0]), Data([0, 0, 1]), Data([0, 0, 1, 0, 3]),
    // An icon without pictures, and a TGA of no size or cut off: neither says what it is.
    bytes(0, 0, 1, 0, 0, 0), bytes(0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 24, 0),
    Data(count: 600), Data("GIF8".utf8) + Data(count: 20),
    Data("RIFF\u{1}\u{2}\u{3}\u{4}WEPB".utf8),
    ftyp("avif").prefix(11),
    Data([0xFE, 0xED, 0xFA, 0xCE, 0xCA, 0xFE]),
    Data([0x42, 0x4D, 0x36, 0x10, 0, 0, 1, 0, 0, 0]),
    // No bitmap has two planes.
    Data([40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 24]) + Data(count: 25),
  ]

  @Test("cut-off signatures and other bytes are unknown", arguments: unknown)
  func unknowns(data: Data) {
    #expect(ContentKind(sniffing: data) == .unknown)
  }

  @Test("no bytes are empty content")
  func empty() {
    #expect(ContentKind(sniffing: Data()) == .empty)
  }

  @Test(
    "a file that ends in its prologue may become a drawing, and nothing else may",
    arguments: [
      (Data("<!--\(notice)".utf8), true), (Data("<?xml version='1.0'?>".utf8), true),
      (Data("<!DOCTYPE a [ <!-- ".utf8), true), (Data("<?xml version='1.0'?><sv".utf8), true),
      (Data(repeating: 0x20, count: 600), true), (CompressedDrawing.long.prefix(700), true),
      (wide("\u{feff}<!--", .utf16BigEndian), true), (behind("<!-- -->"), false),
      (CompressedDrawing.long, false),
      (Data("<!--\(notice)--><a>".utf8), false), (CompressedDrawing.other, false), (Signature.png, false),
      (Data("text".utf8), false), (Data("<!--".utf8) + Data(repeating: 0x78, count: 1 << 20), false),
    ])
  func open(data: Data, isOpen: Bool) {
    #expect(ContentKind.isOpen(data) == isOpen)
  }

  @Test(
    "gzip is inflated up to a limit, and says how it ends",
    arguments: [CompressedDrawing.plain, CompressedDrawing.stored, CompressedDrawing.named])
  func inflated(data: Data) {
    let text = Array(CompressedDrawing.text.utf8)
    let whole = Gzip(inflating: data + [1, 2], atMost: text.count)
    #expect(whole.bytes == text && whole.end == .whole)
    let part = Gzip(inflating: data, atMost: 20)
    #expect(part.bytes == Array(text[..<20]) && part.end == .limit)
    for count in data.indices { #expect(Gzip(inflating: data.prefix(count), atMost: 1000).end == .cut) }
    var damaged = data
    damaged[damaged.count - 6] ^= 1
    #expect(Gzip(inflating: damaged, atMost: 1000).end == .broken)
  }

  @Test("damaged gzip is inflated without a trap, within the limit")
  func damaged() {
    var numbers = SeededGenerator(seed: 11)
    for _ in 0..<3000 {
      var data = [CompressedDrawing.long, CompressedDrawing.plain].randomElement(using: &numbers) ?? Data()
      for _ in 0..<3 {
        data[Int.random(in: 10..<data.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
      }
      #expect(Gzip(inflating: data, atMost: 10_000).bytes.count <= 10_000)
    }
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
