import Foundation
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs
import Testing

@Suite("PNG decoder")
struct PNGDecoderTests {
  @Test(
    "decodes every variant to its exact pixels",
    arguments: [
      ("matrix/png-gray1", "matrix/ref/bilevel"), ("matrix/png-gray8", "matrix/ref/gray"),
      ("matrix/png-gray16", "matrix/ref/gray"), ("matrix/png-gray-alpha8", "matrix/ref/gray-alpha"),
      ("matrix/png-palette", "matrix/ref/palette"), ("matrix/png-rgb16", "matrix/ref/rgb"),
      ("matrix/png-rgba8", "matrix/ref/rgba"), ("matrix/png-trns-rgb", "matrix/ref/rgb-colour-key"),
      ("matrix/anim", "matrix/ref/anim-0"), ("pngsuite/basi0g01", "pngsuite/basn0g01"),
      ("pngsuite/basi3p04", "pngsuite/basn3p04"), ("pngsuite/basi2c16", "pngsuite/basn2c16"),
      ("pngsuite/basi6a16", "pngsuite/basn6a16"),
    ])
  func exact(name: String, reference: String) throws {
    let straight = CodecRegistry.straight
    let bitmap = try straight.picture(from: fixture("\(name).png")).bitmap
    let expected = try straight.picture(from: fixture("\(reference).png")).bitmap
    #expect(bitmap == expected)
  }

  // Recorded when the SHA-256 of the same pixels was that of the corpus's independent readers.
  @Test(
    "gives recorded pixels",
    arguments: [
      ("basn0g01", UInt64(0xF76A_B9C2_CC27_5B5D)), ("basn3p04", 0x6A17_5742_8F1E_EF85),
      ("basn2c16", 0x6B02_80AA_5F99_9925), ("basn6a16", 0x78D6_7350_AB6A_BB75),
      ("tbbn3p08", 0xEA9E_E979_B466_F6AF), ("tm3n3p02", 0xB29E_BA54_C672_EB25),
      ("s01n3p01", 0x6960_DB64_91CB_FED3), ("s40i3p04", 0xC944_2A4A_8705_1BB1),
      ("bgan6a08", 0x302E_A0FE_6B15_1E7D), ("f99n0g04", 0x912A_1204_BB21_1775),
    ])
  func recorded(name: String, hash: UInt64) throws {
    let bitmap = try CodecRegistry.straight.picture(
      from: fixture("pngsuite/\(name).png"), context: DecodingContext(colorPolicy: .keep)
    ).bitmap
    #expect(bitmap.fnv1a == hash)
  }

  @Test("makes the transparent grey of a 4-bit picture transparent")
  func grayKey() throws {
    let bitmap = try picture("pngsuite/tbbn0g04.png").bitmap
    #expect(bitmap[0, 0] == Pixel(red: 0, green: 0, blue: 0, alpha: 0))
    #expect(bitmap[16, 16].alpha == 255)
    #expect(!bitmap.isOpaque)
  }

  @Test("multiplies colours by alpha")
  func premultiplied() throws {
    let straight = try CodecRegistry.straight.picture(from: fixture("matrix/png-rgba8.png")).bitmap
    let bitmap = try picture("matrix/png-rgba8.png").bitmap
    let stored = straight.packed
    let expected = stored.enumerated().map { index, value -> UInt8 in
      let alpha = Int(stored[index | 3])
      return index % 4 == 3 ? value : UInt8((Int(value) * alpha + 127) / 255)
    }
    #expect(bitmap.packed == expected)
  }

  @Test(
    "has a header with the stored facts",
    arguments: [
      ("matrix/png-gray16.png", ImageHeader.ColorModel.gray, 16, false, false),
      ("matrix/png-palette.png", .indexed, 8, false, false), ("matrix/png-rgba8.png", .rgb, 8, true, false),
      ("matrix/png-trns-rgb.png", .rgb, 8, true, false), ("pngsuite/basi0g01.png", .gray, 1, false, true),
      ("pngsuite/tm3n3p02.png", .indexed, 2, true, false),
    ])
  func header(
    path: String, model: ImageHeader.ColorModel, bits: Int, hasAlpha: Bool, isInterlaced: Bool
  ) throws {
    let header = try CodecRegistry.standard.header(of: fixture(path))
    #expect(header.colorModel == model)
    #expect(header.bitsPerComponent == bits)
    #expect(header.hasAlpha == hasAlpha)
    #expect(header.isProgressive == isInterlaced)
    #expect(try picture(path).bitmap.isOpaque == !hasAlpha)
  }

  @Test("counts the frames that exist, not those that are declared")
  func frames() throws {
    #expect(try CodecRegistry.standard.header(of: fixture("matrix/anim.png")).frameCount == 4)
    let boast = try fixture("bombs/apng-2147483647-frames.png")
    #expect(try CodecRegistry.standard.header(of: boast).frameCount == 1)
    #expect(try CodecRegistry.standard.picture(from: boast).size == PixelSize(8, 8))
  }

  @Test(
    "refuses files that break the rules",
    arguments: [
      ("xcsn0g01", "image data"), ("xdtn0g01", "header"), ("xhdn0g08", "header"), ("xc1n0g08", "header"),
      ("xd3n2c08", "header"),
    ])
  func corrupt(name: String, stage: String) throws {
    let error = #expect(throws: ImageDecodingError.self) { try picture("pngsuite/\(name).png") }
    guard case .corrupt(.png, stage, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  /// W3C PNG, third edition, §5.6.
  @Test(
    "ignores chunks behind their place",
    arguments: [
      ("gAMA", PNGFile.big(22_222)), ("sRGB", [0]), ("cICP", [9, 16, 0, 1]),
      ("cLLI", PNGFile.big(9) + PNGFile.big(9)),
      ("cHRM", (1...8).flatMap { PNGFile.big($0 * 4000) }), ("iCCP", Array("a".utf8) + [0, 0, 1, 2]),
      ("pHYs", PNGFile.big(4000) + PNGFile.big(4000) + [1]), ("tRNS", [0]),
    ] as [(String, [UInt8])])
  func places(name: String, content: [UInt8]) throws {
    let size = PixelSize(1, 1)
    let palette = (name: "PLTE", content: [1, 2, 3] as [UInt8])
    // A gamma that sRGB replaces.
    let gamma = (name: "gAMA", content: name == "sRGB" ? PNGFile.big(99_999) : PNGFile.big(45_455))
    let chunk = (name: name, content: content)
    func header(_ chunks: [(name: String, content: [UInt8])], behindPixels: Bool = false) throws
      -> ImageHeader
    {
      var data = PNGFile(size: size, colorType: 3, samples: [0], chunks: chunks).data
      if behindPixels { data.insert(contentsOf: PNGFile.chunk(name, content), at: data.count - 12) }
      return try CodecRegistry.standard.header(of: data)
    }
    let without = try header([gamma, palette])
    let isForPalette = name == "tRNS"
    #expect(try header([gamma, palette], behindPixels: true) == without)
    #expect(try header(isForPalette ? [gamma, palette, chunk] : [gamma, chunk, palette]) != without)
    let late = try header(isForPalette ? [gamma, chunk, palette] : [gamma, palette, chunk])
    #expect((late == without) == (name != "pHYs"))
  }

  @Test("lets the next chunk say what colours mean if cICP says nothing, and names a narrow range")
  func codedColors() throws {
    func header(_ codes: [UInt8]?) throws -> ImageHeader {
      var chunks: [(name: String, content: [UInt8])] = [("gAMA", PNGFile.big(100_000))]
      if let codes { chunks.insert((name: "cICP", content: codes), at: 0) }
      let file = PNGFile(size: PixelSize(1, 1), colorType: 0, samples: [9], chunks: chunks)
      return try CodecRegistry.standard.header(of: file.data)
    }
    let without = try header(nil)
    #expect(try header([2, 2, 0, 1]) == without)
    #expect(try header([1, 13, 0, 1]).colorEncoding == nil)
    #expect(try header([9, 16, 0, 1]).notes.isEmpty)
    let narrow = try header([9, 16, 0, 0])
    #expect(narrow.colorEncoding == .coded(primaries: 9, transfer: 16))
    #expect(narrow.notes == ["its colours have a narrow range, and are read as a full one"])
  }

  @Test("names the files that Xcode changes for iPhones")
  func appleVariant() throws {
    var data = PNGFile(size: PixelSize(1, 1), colorType: 6, samples: [0, 0, 0, 0]).data
    data.insert(contentsOf: PNGFile.chunk("CgBI", [0x50, 0, 0x20, 2]), at: 8)
    #expect(
      throws: ImageDecodingError.unsupportedType(
        .png, reason: "it is Apple's CgBI, which only Apple's systems read")
    ) { try CodecRegistry.standard.picture(from: data) }
  }

  @Test("reports that image data are missing, or returns the rows that exist", arguments: [false, true])
  func truncated(isInterlaced: Bool) throws {
    let whole = try fixture(isInterlaced ? "pngsuite/basi6a16.png" : "matrix/png-rgba8.png")
    let cut = whole.prefix(whole.count * 2 / 3)
    #expect(throws: ImageDecodingError.truncated(.png, stage: "image data")) {
      try CodecRegistry.standard.picture(from: cut)
    }
    let picture = try CodecRegistry.standard.picture(from: cut, context: .init(allowsTruncation: true))
    #expect(picture.notes == ["the file is cut off: a part of the picture is missing"])
    let part = picture.bitmap
    let full = try CodecRegistry.standard.picture(from: whole).bitmap
    #expect(part.size == full.size)
    #expect(part != full)
    let isTopThere = (0..<full.size.width).allSatisfy { isInterlaced || part[$0, 0] == full[$0, 0] }
    #expect(isTopThere)
    #expect(isInterlaced || part[5, full.size.height - 1] == Pixel(red: 0, green: 0, blue: 0, alpha: 0))
  }

  @Test("fills the missing rows of an opaque picture with grey")
  func truncatedOpaque() throws {
    let whole = try fixture("matrix/png-rgb8.png")
    let context = DecodingContext(allowsTruncation: true)
    let part = try CodecRegistry.standard.picture(from: whole.prefix(whole.count / 2), context: context)
      .bitmap
    #expect(part[63, 47] == Pixel(red: 128, green: 128, blue: 128))
  }
}
