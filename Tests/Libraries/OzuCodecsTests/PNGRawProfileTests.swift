import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

@Suite("Blocks of a PNG as hexadecimal digits")
struct PNGRawProfileTests {
  private static let exif = EXIFFile().data
  private static let xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf/></x:xmpmeta>".utf8)
  private static let exifSegment = Data("Exif\0\0".utf8) + exif
  private static let xmpSegment = Data("http://ns.adobe.com/xap/1.0/\0".utf8) + xmp

  /// The text as ImageMagick writes it.
  private static func text(_ name: String, _ bytes: Data, count: Int? = nil) -> String {
    var text = "\n\(name)\n" + String(format: "%8ld", count ?? bytes.count)
    for (index, byte) in bytes.enumerated() {
      if index % 36 == 0 { text += "\n" }
      text += String(format: "%02x", byte)
    }
    return text + "\n"
  }

  private static func file(_ chunks: [(name: String, content: [UInt8])]) -> Data {
    PNGFile(size: PixelSize(2, 1), colorType: 0, samples: [0, 255], chunks: chunks).data
  }

  private static func chunk(
    _ keyword: String, _ text: String, isCompressed: Bool = false
  ) -> (name: String, content: [UInt8]) {
    let start = Array("Raw profile type \(keyword)\0".utf8)
    return isCompressed
      ? ("zTXt", start + [0] + PNGFile.zlib(Array(text.utf8))) : ("tEXt", start + Array(text.utf8))
  }

  @Test(
    "are read under every name",
    arguments: [
      ("exif", exifSegment, exif, nil), ("exif", exif, exif, nil), ("xmp", xmp, nil, xmp),
      ("APP1", exifSegment, exif, nil), ("APP1", xmpSegment, nil, xmp),
      ("APP1", Data("other".utf8), nil, nil),
      ("iptc", exifSegment, nil, nil),
    ] as [(String, Data, Data?, Data?)], [false, true])
  func kinds(_ block: (keyword: String, bytes: Data, exif: Data?, xmp: Data?), isCompressed: Bool) throws {
    let text = Self.text(block.keyword, block.bytes)
    let metadata = try CodecRegistry.standard.metadata(
      of: Self.file([Self.chunk(block.keyword, text, isCompressed: isCompressed)]))
    #expect(metadata.exif == block.exif && metadata.xmp == block.xmp && metadata.notes.isEmpty)
    #expect(
      metadata.resolution == (block.exif == nil ? nil : ImageResolution(horizontal: 300, vertical: 150)))
  }

  @Test("are not used if there is a chunk of the standard, before or after them")
  func precedence() throws {
    let old = Self.chunk("exif", Self.text("exif", EXIFFile(isBigEndian: true).data))
    for chunks in [[old, ("eXIf", [UInt8](Self.exif))], [("eXIf", [UInt8](Self.exif)), old]] {
      #expect(try CodecRegistry.standard.metadata(of: Self.file(chunks)).exif == Self.exif)
    }
  }

  @Test(
    "that are damaged are left out with a note, and the picture is decoded",
    arguments: [
      "", "\n", "\nexif\n", "\nexif\n       4\n000", "\nexif\n       4\n0000000g",
      "\nexif\n       4x\n00000000",
      "\nexif\n       0\n", "\nexif\n99999999999999999999999999\n00", "\nexif\n-1\n00", "exif\n  1\n00",
      "\nexif\n  2\n00 ", text("exif", exif, count: exif.count + 1),
    ])
  func damaged(_ text: String) throws {
    for isCompressed in [false, true] {
      let file = Self.file([Self.chunk("exif", text, isCompressed: isCompressed)])
      let metadata = try CodecRegistry.standard.metadata(of: file)
      #expect(metadata.exif == nil && metadata.notes.count == 1)
      #expect(try CodecRegistry.standard.picture(from: file).size == PixelSize(2, 1))
    }
  }

  @Test("only one of each kind is examined")
  func many() throws {
    let bad = Self.chunk("exif", "no")
    let file = Self.file([bad, bad, Self.chunk("exif", Self.text("exif", Self.exif))])
    let metadata = try CodecRegistry.standard.metadata(of: file)
    #expect(metadata.exif == nil && metadata.notes.count == 1)
  }

  @Test("are read as exiftool reads them", .enabled(if: ForeignReader.exiftool.isInstalled))
  func foreign() throws {
    let chunks = [
      Self.chunk("APP1", Self.text("generic profile", Self.exifSegment), isCompressed: true),
      Self.chunk("exif", Self.text("exif", Self.exifSegment)),
    ]
    for chunk in chunks {
      let file = Self.file([chunk])
      let tags = try #require(try ForeignReader.tags(of: ["a.png": file])["a.png"])
      #expect(tags["IFD0:Make"] as? String == "Maker")
      #expect(try CodecRegistry.standard.metadata(of: file).exif == Self.exif)
    }
  }
}
