import Foundation
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs
import OzuTesting
import Testing

@Suite("Small formats: PNM, QOI, TGA, ICNS, PSD")
struct SmallFormatTests {
  /// Files; beside each is a PNG of the right pixels, which the decoders had no part in.
  static let files = fixtures(in: "small").filter { !$0.hasSuffix(".png") }

  @Test("have the right pixels, also those that are transparent", arguments: files)
  func pixels(file: String) throws {
    let data = try fixture(file)
    let picture = try CodecRegistry.straight.picture(from: data)
    let right = try CodecRegistry.straight.picture(from: fixture(file + ".png"))
    #expect(picture.bitmap.largestDifference(from: right.bitmap) == 0)
    #expect(picture.header?.type == ImageFormat.ofEnding(String(file.split(separator: ".").last ?? ""))?.type)
    // Premultiplied, and in all bits.
    let standard = try CodecRegistry.standard.picture(from: data).bitmap
    #expect(
      standard.largestDifference(
        from: try CodecRegistry.standard.picture(from: fixture(file + ".png")).bitmap) <= 1)
    let stored = try CodecRegistry.standard.picture(
      from: data, context: DecodingContext(pixelFormats: .asStored))
    #expect(stored.bitmap.format == stored.header?.pixelFormat(under: .asStored))
    #expect(stored.bitmap.converted(to: .bgra8).largestDifference(from: standard) <= 1)
  }

  /// Not those that have something behind the picture, or another picture before the end.
  static let whole = files.filter { !$0.hasSuffix("icns") && !$0.contains("-2-") }

  @Test("that are cut off say so, or show what is there", arguments: whole)
  func cut(file: String) throws {
    let data = try fixture(file)
    let size = try CodecRegistry.standard.header(of: data).size
    for length in stride(from: 0, to: data.count - 9, by: max(1, data.count / 40)) {
      let part = data.prefix(length)
      #expect(throws: ImageDecodingError.self) { try CodecRegistry.standard.picture(from: part) }
      let context = DecodingContext(allowsTruncation: true)
      guard (try? CodecRegistry.standard.header(of: part)) != nil else { continue }
      #expect(
        try CodecRegistry.standard.picture(from: part, context: context).size == size, "\(length) bytes")
    }
  }

  @Test(
    "that are changed at random end with an error or a picture of the size in the header", arguments: files)
  func mutants(file: String) throws {
    let data = try fixture(file)
    let context = DecodingContext(limits: DecodingLimits(pixelCount: 1 << 18), allowsTruncation: true)
    var numbers = SeededGenerator(seed: UInt64(data.count))
    for _ in 0..<8 {
      var mutant = data
      for _ in 0..<Int.random(in: 1...4, using: &numbers) {
        let end = Bool.random(using: &numbers) ? min(40, data.count) : data.count
        mutant[Int.random(in: 0..<end, using: &numbers)] =
          [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &numbers)].randomElement(using: &numbers)
          ?? 0
      }
      guard let header = try? CodecRegistry.standard.header(of: mutant),
        let picture = try? CodecRegistry.standard.picture(from: mutant, context: context)
      else { continue }
      #expect(picture.size == header.size)
    }
  }

  static let large: [(String, Data)] = [
    ("P6", Data("P6 60000 60000 255\n".utf8)), ("P1", Data("P1 60000 60000 ".utf8)),
    ("P4", Data("P4 60000 60000\n".utf8)),
    ("P7", Data("P7\nWIDTH 999999999\nHEIGHT 999999999\nDEPTH 4\nMAXVAL 65535\nENDHDR\n".utf8)),
    ("QOI", Data("qoif".utf8) + Data([255, 255, 255, 255, 255, 255, 255, 255, 4, 0])),
    ("TGA", Data([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 32, 8])),
    (
      "PSD",
      Data("8BPS".utf8)
        + Data([0, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60, 0, 8, 0, 3])
        + Data(repeating: 0, count: 14)
    ),
  ]

  @Test("that declare too many pixels are refused before memory is taken", arguments: large)
  func limits(name: String, data: Data) throws {
    let pool = PixelBufferPool(retainedByteLimit: 0)
    let error = #expect(throws: ImageDecodingError.self) {
      try CodecRegistry.standard.picture(from: data, context: DecodingContext(pool: pool))
    }
    guard case .limitExceeded = error else {
      Issue.record("\(name): \(String(describing: error))")
      return
    }
    #expect(pool.statistics.peakLentByteCount == 0)
  }

  @Test(
    "a header of PNM may end with a comment",
    arguments: [
      "P1 2 1#0\n0 1", "P1 2 1 #0\n01", "P2 2 1 255#0\n255 0", "P4 2 1#0\n\u{40}", "P5 2 1 2#0\n\u{2}\u{0}",
    ])
  func comment(file: String) throws {
    let bitmap = try CodecRegistry.standard.picture(from: Data(file.utf8)).bitmap
    #expect(bitmap[0, 0] == Pixel(red: 255, green: 255, blue: 255))
    #expect(bitmap[1, 0] == Pixel(red: 0, green: 0, blue: 0))
  }

  @Test(
    "a TGA of 32 bits whose header tells of no alpha has it if it is not 0 everywhere",
    arguments: [[0, 0, 0, 0], [0, 0, 0, 7], [255, 255, 255, 255]] as [[UInt8]], [false, true])
  func unstatedAlpha(alphas: [UInt8], isRunLengthCoded: Bool) throws {
    var file: [UInt8] = [0, 0, isRunLengthCoded ? 10 : 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 0, 32, 0x20]
    for (index, alpha) in alphas.enumerated() {
      // A run of one, and three pixels as they are.
      if isRunLengthCoded, index < 2 { file.append(index == 0 ? 0x80 : 2) }
      file += [10, 20, 30, alpha]
    }
    let picture = try CodecRegistry.straight.picture(from: Data(file))
    let hasAlpha = alphas.contains { $0 > 0 }
    #expect(picture.header?.hasAlpha == hasAlpha)
    let beginning = CodecRegistry.straight.header(ofBeginning: Data(file.dropLast(4)), limits: .default)
    if case .settled(let header) = beginning { #expect(header.hasAlpha == hasAlpha) }
    let found = [(0, 0), (1, 0), (0, 1), (1, 1)].map { picture.bitmap[$0.0, $0.1] }
    #expect(found.map(\.alpha) == (hasAlpha ? alphas : [255, 255, 255, 255]))
    #expect(found.allSatisfy { $0.red == 30 && $0.green == 20 && $0.blue == 10 })
  }

  /// Two rows of nine pixels, each in two bytes.
  @Test("a TGA of 1 bit is black and white", arguments: [false, true])
  func bilevel(isRightToLeft: Bool) throws {
    let head: [UInt8] = [0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 0, 1, isRightToLeft ? 0x30 : 0x20]
    let picture = try CodecRegistry.standard.picture(from: Data(head + [0x80, 0x80, 0x40, 0]))
    let white = (0..<18).filter { picture.bitmap[$0 % 9, $0 / 9] == Pixel(red: 255, green: 255, blue: 255) }
    #expect(white == (isRightToLeft ? [0, 8, 16] : [0, 8, 10]))
    #expect(picture.bitmap[4, 0] == Pixel(red: 0, green: 0, blue: 0))
  }

  @Test("what is behind the pixels of a TGA says nothing of its alpha", arguments: [false, true])
  func footer(isRunLengthCoded: Bool) throws {
    let head: [UInt8] = [0, 0, isRunLengthCoded ? 10 : 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 32, 0x20]
    let pixels: [UInt8] = isRunLengthCoded ? [0x81, 10, 20, 30, 0] : [10, 20, 30, 0, 10, 20, 30, 0]
    let footer = [UInt8](repeating: 0, count: 8) + Array("TRUEVISION-XFILE.\0".utf8)
    let picture = try CodecRegistry.standard.picture(from: Data(head + pixels + footer))
    #expect(picture.header?.hasAlpha == false)
    #expect(picture.bitmap[1, 0] == Pixel(red: 30, green: 20, blue: 10))
  }

  @Test("are written without loss", arguments: [ImageType.pnm, .qoi], PixelFormat.allCases)
  func writing(type: ImageType, format: PixelFormat) throws {
    let opaque = Bitmap(size: PixelSize(70, 9)) { x, y in
      Pixel(red: UInt8(x / 3 * 11), green: UInt8(y * 28), blue: UInt8((x * y) % 7 * 30))
    }
    let clear = Bitmap(size: PixelSize(70, 9), isOpaque: false) { x, y in
      let alpha = UInt8(y * 31)
      return Pixel(red: alpha, green: alpha / 2, blue: UInt8(Int(alpha) * x / 70), alpha: alpha)
    }
    for bitmap in [opaque, clear].map({ $0.converted(to: format) }) {
      let data = try CodecRegistry.standard.encode(bitmap, as: type)
      let header = try CodecRegistry.standard.header(of: data)
      #expect(header.type == type && header.size == bitmap.size)
      #expect(header.bitsPerComponent == (format == .rgba16 && type == .pnm ? 16 : 8))
      #expect(header.hasAlpha == (bitmap.alphaIsUsed))
      let read = try CodecRegistry.standard.picture(from: data).bitmap
      #expect(read.largestDifference(from: bitmap.converted(to: .bgra8)) == 0)
    }
  }

  @Test("an icon of JPEG 2000 alone is named; one of PNG needs a decoder for it")
  func icons() throws {
    func icon(_ content: Data) -> Data {
      func big(_ count: Int) -> Data { Data([0, 0, UInt8(count >> 8), UInt8(count & 255)]) }
      return Data("icns".utf8) + big(content.count + 16) + Data("ic08".utf8) + big(content.count + 8)
        + content
    }
    let codestream = Data([0xFF, 0x4F, 0xFF, 0x51]) + Data(count: 20)
    #expect(throws: ImageDecodingError.unsupportedType(.icns, reason: "its picture is JPEG 2000")) {
      try CodecRegistry.standard.picture(from: icon(codestream))
    }
    let png = try icon(fixture("small/p1-7x5-0.pbm.png"))
    #expect(throws: ImageDecodingError.unsupportedType(.icns, reason: "its picture is PNG")) {
      try CodecRegistry.pureSwift.picture(from: png)
    }
    #expect(try CodecRegistry.standard.picture(from: png).size == PixelSize(7, 5))
    #expect(throws: ImageDecodingError.truncated(.icns, stage: "directory")) {
      try CodecRegistry.standard.picture(from: png.prefix(60))
    }
    // A smaller icon before the one that is cut off.
    let small = Data("is32".utf8) + Data(TaggedFile.big(8 + 768, 4)) + Data(count: 768)
    let two = png.prefix(4) + Data(TaggedFile.big(png.count + small.count, 4)) + small + png.dropFirst(8)
    #expect(try CodecRegistry.standard.picture(from: two).notes.isEmpty)
    let cut = try CodecRegistry.standard.picture(from: two.dropLast(9))
    #expect(cut.size == PixelSize(16, 16))
    #expect(cut.notes == ["the file is cut off: it may have had a larger picture"])
    #expect(CodecRegistry.standard.header(ofBeginning: two.dropLast(9), limits: .default).size == nil)
    let other = icon(codestream)
    let length = Data(TaggedFile.big(other.count + small.count, 4))
    let mixed = other.prefix(4) + length + small + other.dropFirst(8)
    let smaller = try CodecRegistry.standard.picture(from: mixed)
    #expect(smaller.size == PixelSize(16, 16))
    #expect(smaller.notes == ["a larger picture is left out: its picture is JPEG 2000"])
    // A mask, and nothing of the picture.
    let mask = Data("s8mk".utf8) + Data(TaggedFile.big(8 + 256, 4)) + Data(count: 256)
    let masked = png.prefix(4) + Data(TaggedFile.big(png.count + mask.count, 4)) + mask
    #expect(throws: ImageDecodingError.truncated(.icns, stage: "directory")) {
      try CodecRegistry.standard.picture(from: masked)
    }
  }

  private static func icon(_ kind: String, _ content: Data) -> Data {
    Data("icns".utf8) + Data(TaggedFile.big(content.count + 16, 4)) + Data(kind.utf8)
      + Data(TaggedFile.big(content.count + 8, 4)) + content
  }

  /// A document of one black pixel.
  ///
  /// - Parameter resources: those of the document.
  private static func document(_ resources: [UInt8]) -> Data {
    Data("8BPS".utf8) + Data([0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 8, 0, 1, 0, 0, 0, 0])
      + Data(TaggedFile.big(resources.count, 4) + resources + [0, 0, 0, 0, 0, 0, 0])
  }

  private static func resource(_ number: Int, _ content: [UInt8], mark: String = "8BIM") -> [UInt8] {
    Array(mark.utf8) + TaggedFile.big(number, 2) + [0, 0] + TaggedFile.big(content.count, 4) + content
      + [UInt8](repeating: 0, count: content.count % 2)
  }

  static let unread: [(ImageType, Data, String)] = [
    (
      .pnm,
      Data("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK\nENDHDR\n".utf8)
        + Data([1, 2, 3, 4]),
      "it is CMYK in PAM"
    ),
    (
      .tga, Data([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 24, 0x60, 1, 2, 3, 4, 5, 6]),
      "its rows are interleaved"
    ),
    (.icns, icon("ICN#", Data(count: 256)), "its pictures have 1, 4 or 8 bits"),
    (.icns, icon("icl8", Data(count: 1024)), "its pictures have 1, 4 or 8 bits"),
    (
      .psd, document(resource(1057, [0, 0, 0, 1, 0, 0, 0, 0, 0])),
      "it was saved without a picture of all its layers"
    ),
  ]

  @Test("that are whole and not read are named with the reason", arguments: unread)
  func refused(type: ImageType, data: Data, reason: String) {
    #expect(throws: ImageDecodingError.unsupportedType(type, reason: reason)) {
      try CodecRegistry.standard.picture(from: data)
    }
  }

  @Test("resources of a Photoshop document may have the mark of another program")
  func foreignResources() throws {
    let resolution = Self.resource(1005, [0, 72, 0, 0, 0, 1, 0, 1, 0, 72, 0, 0, 0, 1, 0, 1])
    let merged = Self.resource(1057, [0, 0, 0, 1, 1, 0, 0, 0, 0])
    let data = Self.document(Self.resource(1000, [1, 2, 3], mark: "MeSa") + merged + resolution)
    #expect(try CodecRegistry.standard.header(of: data).dotsPerInch == 72)
    #expect(try CodecRegistry.standard.picture(from: data).notes.isEmpty)
  }

  @Test(
    "icons may have plain colours: in threes, or behind an empty byte", arguments: [3, 4], ["is32", "it32"])
  func plainIcon(width: Int, kind: String) throws {
    let side = kind == "is32" ? 16 : 128
    var content = [UInt8](repeating: 0, count: kind == "it32" ? 4 : 0)
    for index in 0..<side * side {
      if width == 4 { content.append(0) }
      content.append(UInt8(index % 251))
      content.append(UInt8(index % 13))
      content.append(UInt8(index % 256))
    }
    let icon = Self.icon(kind, Data(content))
    let bitmap = try CodecRegistry.standard.picture(from: icon).bitmap
    #expect(bitmap.size == PixelSize(side, side))
    for (x, y) in [(0, 0), (7, 0), (3, 15), (15, 15)] {
      let index = y * side + x
      let expected = Pixel(red: UInt8(index % 251), green: UInt8(index % 13), blue: UInt8(index % 256))
      #expect(bitmap[x, y] == expected)
    }
  }

  @Test("metadata of a Photoshop document is read, and the resolution")
  func metadata() throws {
    let data = try fixture("small/rgb-8-1-1-0-10x4-1.psd")
    #expect(try CodecRegistry.standard.header(of: data).dotsPerInch == 150)
    #expect(try CodecRegistry.standard.metadata(of: data).resolution == ImageResolution(dotsPerInch: 150))
  }

  @Test("of CMYK PSD have inks that were blended over white, each by itself")
  func transparentInks() throws {
    let layers = Data([0, 0, 0, 2, 0xFF, 0xFF, 0, 0, 0, 0])
    // Cyan of 155, black of 127, half transparent.
    var file = Data("8BPS".utf8) + Data([0, 1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 1, 0, 8, 0, 4])
    file +=
      Data(count: 8) + Data(TaggedFile.big(layers.count, 4)) + layers + Data([0, 0, 177, 255, 255, 191, 128])
    let pixel = try CodecRegistry.straight.picture(from: file).bitmap[0, 0]
    #expect(pixel.alpha == 128 && abs(Int(pixel.red) - 50) <= 1 && abs(Int(pixel.green) - 127) <= 1)
  }

  @Test(
    "of large PSD have the transparency that a block says, behind one with a long length",
    arguments: ["Mt16", "Xxxx"])
  func transparency(name: String) throws {
    let long = Data("8BIMLMsk".utf8) + Data([0, 0, 0, 0, 0, 0, 0, 5]) + Data(count: 8)
    let layers = Data(count: 12) + long + Data("8BIM\(name)".utf8) + Data(count: 8)
    var file = Data("8BPS".utf8) + Data([0, 2, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 1, 0, 16, 0, 3])
    file += Data(count: 8) + Data(TaggedFile.big(layers.count, 8)) + layers + Data(count: 10)
    #expect(try CodecRegistry.standard.header(of: file).hasAlpha == (name == "Mt16"))
  }
}

extension Bitmap {
  fileprivate var alphaIsUsed: Bool {
    (0..<size.height).contains { y in (0..<size.width).contains { self[$0, y].alpha < 255 } }
  }
}
