import Foundation
import OzuStandardCodecs
import Testing

@testable import OzuCodecs
@testable import OzuImaging

@Suite("Gain maps")
struct GainMapTests {
  private static let codecs = CodecRegistry.standard

  private static func flat(_ size: PixelSize, _ value: UInt8) throws -> Data {
    let bitmap = Bitmap(size: size, isOpaque: true) { _, _ in
      Pixel(red: value, green: value, blue: value, alpha: 255)
    }
    return try codecs.encode(bitmap, as: .jpeg, options: EncodingOptions(compressionQuality: 1))
  }

  private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xFF, marker] + BoxFile.big(content.count + 2, 2) + content
  }

  private static func xmp(_ text: String) -> [UInt8] {
    segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0<rdf:RDF>\(text)</rdf:RDF>".utf8))
  }

  /// The parameters of ISO 21496-1: no gain to two stops, for a headroom of two stops.
  private static func iso(_ denominator: Int = 64, most: Int = 128, headroom: Int = 128) -> [UInt8] {
    var block: [UInt8] = [0, 0, 0, 0, 0x48]
    for number in [denominator, 0, headroom, 0, most, 64, 1, 1] { block += BoxFile.big(number, 4) }
    return segment(0xE2, Array("urn:iso:std:iso:ts:21496:-1\0".utf8) + block)
  }

  private static let ultraHDR = xmp(
    "<rdf:Description hdrgm:Version=\"1.0\" hdrgm:GainMapMax=\"2\" hdrgm:HDRCapacityMax='2.0'/>")
  private static let announcement = xmp("<rdf:Description hdrgm:Version=\"1.0\"/>")
  private static let announcementOfISO = segment(
    0xE2, Array("urn:iso:std:iso:ts:21496:-1\0".utf8) + [0, 0, 0, 0])

  /// A picture with a map after it, and the index that refers to the map.
  private static func file(
    _ base: Data, _ map: Data, describedBy blocks: [UInt8], before: [UInt8] = announcement, shift: Int = 0
  ) -> Data {
    let described = Array(map.prefix(2)) + blocks + Array(map.dropFirst(2))
    // The byte-order mark, then a directory of one entry, which refers to two pictures.
    func index(_ mapOffset: Int) -> [UInt8] {
      var block = Array("MM".utf8) + [0, 42] + BoxFile.big(8, 4) + BoxFile.big(1, 2)
      block += BoxFile.big(0xB002, 2) + BoxFile.big(7, 2) + BoxFile.big(32, 4) + BoxFile.big(26, 4)
      block += BoxFile.big(0, 4)
      block += BoxFile.big(0x030000, 4) + BoxFile.big(base.count, 4) + [UInt8](repeating: 0, count: 8)
      block += BoxFile.big(0, 4) + BoxFile.big(described.count, 4) + BoxFile.big(mapOffset, 4) + [0, 0, 0, 0]
      return segment(0xE2, Array("MPF\0".utf8) + block)
    }
    let head = Array(base.prefix(2)) + before
    let size = index(0).count
    let mapStart = head.count + size + base.count - 2
    return Data(head + index(mapStart - (head.count + 8) + shift)) + base.dropFirst(2) + Data(described)
  }

  private static func nits(_ bitmap: Bitmap) -> Double {
    bitmap.withUnsafeBytes {
      PerceptualQuantizer.light(Double($0.load(fromByteOffset: 2, as: UInt16.self)) / 65_535)
    }
  }

  @Test("are applied for the requested headroom", arguments: [true, false], [1.0, 2, 4, 16])
  func applied(isISO: Bool, headroom: Double) throws {
    let data = try Self.file(
      Self.flat(PixelSize(64, 48), 188), Self.flat(PixelSize(32, 24), 255),
      describedBy: isISO ? Self.iso() : Self.ultraHDR)
    let header = try Self.codecs.header(of: data)
    #expect(header.gainMap?.size == PixelSize(32, 24) && header.notes.isEmpty)
    let base = try Self.codecs.picture(from: data)
    #expect(base.bitmap.format == .bgra8 && base.notes.isEmpty)
    let resize = isISO ? Resize(PixelSize(20, 15)) : nil
    let picture = try Self.codecs.picture(
      from: data, resize: resize, context: DecodingContext().brightened(to: headroom))
    guard headroom > 1 else {
      #expect(picture.bitmap.format == .bgra8)
      return
    }
    #expect(picture.bitmap.colorSpace == .coded(primaries: 1, transfer: 16))
    let light = SRGBCurve.light(188.0 / 255)
    let offset = 1.0 / 64
    let gain = exp2(min(log2(headroom) / 2, 1) * 2)
    let expected = min((light + offset) * gain - offset, headroom) * 203
    #expect(abs(Self.nits(picture.bitmap) / expected - 1) < 0.02, "\(Self.nits(picture.bitmap)) \(expected)")
  }

  @Test("with wrong facts give the picture and a note")
  func lies() throws {
    let (base, map) = try (Self.flat(PixelSize(64, 48), 120), Self.flat(PixelSize(32, 24), 255))
    let plain = try Self.codecs.picture(from: base).bitmap
    let odd = try Self.flat(PixelSize(16, 80), 255)
    let nested = Self.file(map, map, describedBy: Self.ultraHDR)
    let lies: [(Data, isUsed: Bool)] = [
      (Self.file(base, odd, describedBy: Self.ultraHDR), false),
      (Self.file(base, map, describedBy: []), false),
      (Self.file(base, map, describedBy: Self.ultraHDR, shift: 9), false),
      (Self.file(base, map, describedBy: Self.ultraHDR, shift: 1 << 20), false),
      (Self.file(base, map, describedBy: Self.iso(0)), false),
      (Self.file(base, map, describedBy: Self.iso(1)), false),
      (Self.file(base, map, describedBy: Self.iso(headroom: 0)), false),
      // The map inside the map is ignored.
      (Self.file(base, nested, describedBy: Self.iso()), true),
      (Self.file(base, map.prefix(map.count / 2), describedBy: Self.iso()), false),
      (Data(base.prefix(2)) + Data(Self.announcement) + base.dropFirst(2), false),
      (
        Self.file(base, map, describedBy: Self.iso(), before: Self.announcementOfISO, shift: 1 << 20), false
      ),
    ]
    for (number, lie) in lies.enumerated() {
      #expect(try Self.codecs.picture(from: lie.0).bitmap == plain, "\(number)")
      let picture = try Self.codecs.picture(from: lie.0, context: DecodingContext().brightened(to: 4))
      #expect((picture.bitmap.format == .rgba16) == lie.isUsed, "\(number)")
      #expect(!picture.notes.isEmpty, "\(number)")
      if !lie.isUsed { #expect(picture.bitmap == plain, "\(number)") }
    }
  }

  private static func numbers(_ attributes: String) -> [UInt8] {
    xmp("<rdf:Description hdrgm:Version=\"1.0\" \(attributes)/>")
  }

  @Test(
    "with impossible numbers give the picture and a note",
    arguments: [
      "GainMapMax='nan'", "GainMapMax='inf'", "GainMapMax='1e9'", "GainMapMax='2' Gamma='0'",
      "GainMapMax='2' Gamma='-1'", "GainMapMax='2' Gamma='nan'", "GainMapMax='1' GainMapMin='2'",
      "GainMapMax='2' GainMapMin='-1e9'", "GainMapMax='2' OffsetSDR='1e9'", "GainMapMax='2' OffsetHDR='nan'",
      "GainMapMax='2' HDRCapacityMin='nan'", "GainMapMax='2' HDRCapacityMin='-1'",
      "GainMapMax='2' HDRCapacityMin='2'", "GainMapMax='2' HDRCapacityMin='3'",
      "GainMapMax='2' BaseRenditionIsHDR='True'", "GainMapMax='-1' GainMapMin='-2'",
      "GainMapMax='-0.01' GainMapMin='-0.01'",
    ])
  func impossible(numbers: String) throws {
    let attributes = (numbers + " HDRCapacityMax='2'").split(separator: " ").map { "hdrgm:" + $0 }
    let (base, map) = try (Self.flat(PixelSize(64, 48), 120), Self.flat(PixelSize(32, 24), 255))
    let data = Self.file(base, map, describedBy: Self.numbers(attributes.joined(separator: " ")))
    let plain = try Self.codecs.picture(from: base).bitmap
    for headroom in [nil, 1, 4, 64] as [Double?] {
      let picture = try Self.codecs.picture(from: data, context: DecodingContext().brightened(to: headroom))
      #expect(picture.bitmap == plain && picture.header?.gainMap == nil)
      #expect(picture.notes.count == 1 && picture.notes[0].contains("gain map"), "\(picture.notes)")
    }
  }

  @Test(
    "with an impossible headroom give the picture and a note",
    arguments: ["nan", "-1", "0", "1e9", "inf"])
  func impossibleHeadroom(text: String) throws {
    let base = try Self.flat(PixelSize(64, 48), 120)
    let numbers = "hdrgm:GainMapMax='2' hdrgm:HDRCapacityMax='\(text)'"
    let data = try Self.file(
      base, Self.flat(PixelSize(32, 24), 255), describedBy: Self.numbers(numbers))
    let picture = try Self.codecs.picture(from: data, context: DecodingContext().brightened(to: 4))
    #expect(try picture.bitmap == Self.codecs.picture(from: base).bitmap)
    #expect(picture.notes.count == 1 && picture.notes[0].contains("gain map"), "\(picture.notes)")
  }

  @Test(
    "with nothing where a number should be give the picture and a note",
    arguments: [
      "hdrgm:GainMapMax</hdrgm:", "hdrgm:GainMapMax" + String(repeating: "</hdrgm:", count: 50),
      "hdrgm:GainMapMax></hdrgm:GainMapMax>", "hdrgm:GainMapMax=", "hdrgm:GainMapMax='", "hdrgm:GainMapMax",
    ])
  func nothing(_ text: String) throws {
    let base = try Self.flat(PixelSize(64, 48), 120)
    let packet = Self.numbers("hdrgm:HDRCapacityMax=\"2\" \(text)")
    let data = try Self.file(base, Self.flat(PixelSize(32, 24), 255), describedBy: packet)
    let header = try Self.codecs.header(of: data)
    #expect(header.gainMap == nil)
    #expect(header.notes.count == 1 && header.notes[0].contains("gain map"), "\(header.notes)")
  }

  @Test("may make parts of a picture darker, down to black")
  func darker() throws {
    let numbers = "hdrgm:GainMapMin='-3' hdrgm:GainMapMax='1' hdrgm:HDRCapacityMax='2'"
    for (value, stops) in [(UInt8(0), -3.0), (255, 1)] {
      let data = try Self.file(
        Self.flat(PixelSize(64, 48), 188), Self.flat(PixelSize(32, 24), value),
        describedBy: Self.numbers(numbers))
      let picture = try Self.codecs.picture(from: data, context: DecodingContext().brightened(to: 4))
      #expect(picture.bitmap.format == .rgba16)
      let offset = 1.0 / 64
      let expected = ((SRGBCurve.light(188.0 / 255) + offset) * exp2(stops) - offset) * 203
      #expect(abs(Self.nits(picture.bitmap) / expected - 1) < 0.02)
      let levels = try #require(picture.header?.lightLevels)
      #expect(levels.maximumContent == Self.nits(picture.bitmap).rounded(.up))
    }
  }

  @Test("report the light levels of the brightened picture", arguments: [2.0, 4, 64])
  func lightLevels(headroom: Double) throws {
    // A map that is dark in one half: the greatest level is that of the other half, and the mean is between.
    let size = PixelSize(64, 48)
    let halves = Bitmap(size: size, isOpaque: true) { x, _ in
      let value: UInt8 = x < 32 ? 0 : 255
      return Pixel(red: value, green: value, blue: value, alpha: 255)
    }
    let map = try Self.codecs.encode(halves, as: .jpeg, options: EncodingOptions(compressionQuality: 1))
    let data = try Self.file(
      Self.flat(size, 188), map,
      describedBy: Self.numbers("hdrgm:GainMapMax='12' hdrgm:HDRCapacityMax='6'"))
    #expect(try Self.codecs.picture(from: data).header?.lightLevels == nil)
    let picture = try Self.codecs.picture(from: data, context: DecodingContext().brightened(to: headroom))
    let levels = try #require(picture.header?.lightLevels)
    let dark = SRGBCurve.light(188.0 / 255) * 203
    // Two stops of gain for each stop of headroom.
    let light = SRGBCurve.light(188.0 / 255) + 1.0 / 64
    let gained = (light * exp2(2 * log2(headroom)) - 1.0 / 64) * 203
    let most = min(gained, headroom * 203, 10_000)
    #expect(abs((levels.maximumContent ?? 0) / most - 1) < 0.02, "\(levels) \(most)")
    #expect(abs((levels.maximumAverage ?? 0) / ((dark + most) / 2) - 1) < 0.03, "\(levels)")
    #expect(levels.maximumContent ?? .greatestFiniteMagnitude <= min(headroom * 203, 10_000).rounded(.up))
    // Black has a level too: 0 would mean "unknown".
    let black = try Self.codecs.picture(
      from: Self.file(
        Self.flat(size, 0), Self.flat(size, 0), describedBy: Self.ultraHDR),
      context: DecodingContext().brightened(to: headroom))
    #expect(black.header?.lightLevels == LightLevels(maximumContent: 1, maximumAverage: 1))
  }

  @Test("for a headroom that is not a number, or not above white, are not applied")
  func oddHeadrooms() throws {
    let data = try Self.file(
      Self.flat(PixelSize(64, 48), 120), Self.flat(PixelSize(32, 24), 255), describedBy: Self.iso())
    let plain = try Self.codecs.picture(from: data)
    for headroom in [Double.nan, -Double.infinity, -1, 0, 1] {
      let picture = try Self.codecs.picture(from: data, context: DecodingContext().brightened(to: headroom))
      #expect(picture.bitmap == plain.bitmap && picture.notes.isEmpty && picture.header?.lightLevels == nil)
    }
    let brightest = try Self.codecs.picture(
      from: data, context: DecodingContext().brightened(to: Double.infinity))
    let bright = try Self.codecs.picture(from: data, context: DecodingContext().brightened(to: 64))
    #expect(brightest.bitmap == bright.bitmap && bright.bitmap.format == .rgba16)
  }

  @Test("in a file that is truncated anywhere are never an error")
  func cut() throws {
    let base = try Self.flat(PixelSize(16, 16), 120)
    let data = try Self.file(base, Self.flat(PixelSize(16, 16), 255), describedBy: Self.iso() + Self.ultraHDR)
    for length in stride(from: data.count - 1, to: base.count + 200, by: -7) {
      let picture = try Self.codecs.picture(
        from: data.prefix(length), context: DecodingContext().brightened(to: 4))
      #expect(picture.size == PixelSize(16, 16))
    }
  }
}
