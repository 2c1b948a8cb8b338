import Foundation
import OzuStandardCodecs
import Testing

@testable import OzuCodecs
@testable import OzuImaging

@Suite("Gain maps that are written")
struct GainMapWritingTests {
  private let codecs = CodecRegistry.standard

  private static func ramp(_ size: PixelSize, isColored: Bool = false) -> Bitmap {
    Bitmap(size: size, isOpaque: true) { x, y in
      let value = UInt8(x * 255 / (size.width - 1))
      return Pixel(red: value, green: value, blue: isColored ? UInt8(y * 255 / (size.height - 1)) : value)
    }
  }

  private static let one = GainMap(
    size: PixelSize(0, 0), bytes: 0..<0,
    channels: [
      .init(minimum: -0.5, maximum: 2.25, gamma: 1.5, baseOffset: 0.015625, alternateOffset: 0.03125)
    ],
    alternateHeadroom: 2.5)

  private static let three = {
    var numbers = one
    numbers.channels = [0.5, 1, 1.5].map { .init(minimum: -$0, maximum: 2 * $0, gamma: 1 + $0) }
    numbers.baseHeadroom = 0.25
    return numbers
  }()

  private func file(_ numbers: GainMap, xmp: String? = nil, notes: inout [String]) throws -> Data {
    let isColored = numbers.channels.count > 1
    let map = Self.ramp(PixelSize(40, 30), isColored: isColored).converted(to: isColored ? .bgra8 : .gray8)
    let options = EncodingOptions(metadata: EncodedMetadata(xmp: xmp.map { Data($0.utf8) }))
    return try codecs.encode(
      Self.ramp(PixelSize(160, 120)), with: GainMapPicture(numbers, bitmap: map), options: options,
      notes: &notes)
  }

  private func file(_ numbers: GainMap) throws -> Data {
    var notes: [String] = []
    let data = try file(numbers, notes: &notes)
    #expect(notes.isEmpty)
    return data
  }

  /// The file with one text destroyed, so that a reader uses the other description.
  private func without(_ text: String, in data: Data) -> Data {
    var data = data
    while let range = data.range(of: Data(text.utf8)) { data[range.lowerBound] = 0x21 }
    return data
  }

  @Test(
    "have the numbers that were given, by the standard and by XMP", arguments: [one, three], [true, false])
  func numbers(_ numbers: GainMap, isISO: Bool) throws {
    let data = try file(numbers)
    let other = without(isISO ? "hdrgm:GainMapMax" : "urn:iso:std:iso:ts:21496:-1", in: data)
    let header = try codecs.header(of: other)
    let found = try #require(header.gainMap)
    #expect(found.size == PixelSize(40, 30) && header.notes.isEmpty)
    #expect(found.channels == numbers.channels)
    #expect(found.baseHeadroom == numbers.baseHeadroom)
    #expect(found.alternateHeadroom == numbers.alternateHeadroom)
    #expect(found.bytes.upperBound == data.count)
    #expect(
      try codecs.header(of: data[found.bytes]).colorModel == (numbers.channels.count == 1 ? .gray : .rgb))
    // Nothing else has changed.
    #expect(
      try codecs.picture(from: data).bitmap == codecs.picture(from: data[..<found.bytes.lowerBound]).bitmap)
  }

  @Test("are found by exiftool", .enabled(if: ForeignReader.exiftool.isInstalled), arguments: [one, three])
  func foreign(_ numbers: GainMap) throws {
    let data = try file(numbers)
    let range = try #require(try codecs.header(of: data).gainMap).bytes
    let tags = try ForeignReader.tags(
      of: ["a.jpg": data, "map.jpg": Data(data[range])], ["-struct", "-validate", "-warning", "-all"])
    let base = try #require(tags["a.jpg"])
    #expect(base["MPF0:NumberOfImages"] as? Int == 2)
    #expect(base["MPImage2:MPImageStart"] as? Int == range.lowerBound)
    #expect(base["MPImage2:MPImageLength"] as? Int == range.count)
    // The packets of Ultra HDR have no wrapper.
    #expect(["", "[minor] XMP is missing xpacket wrapper"].contains("\(base["ExifTool:Warning"] ?? "")"))
    let map = try #require(tags["map.jpg"])
    #expect("\(map["XMP-hdrgm:GainMapMax"] ?? "")".contains("\(numbers.channels[0].maximum)"), "\(map)")
    #expect("\(map["XMP-hdrgm:HDRCapacityMax"] ?? "")" == "\(numbers.alternateHeadroom)")
    #expect("\(base["XMP-Container:Directory"] ?? "")".contains("\(range.count)"), "\(base)")
  }

  private static let before =
    "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
  private static let after = "</rdf:RDF></x:xmpmeta>"

  private static func announcement(_ items: [String]) -> String {
    "<rdf:Description xmlns:C='http://ns.google.com/photos/1.0/container/' hdrgm:Version=\"1.0\"><C:Directory>"
      + items.map { "<C:Item Item:Mime=\"image/jpeg\" Item:Semantic=\"\($0)\" Item:Length=\"7\" />" }.joined()
      + "</C:Directory></rdf:Description>"
  }

  @Test(
    "keep the XMP of the source, unless it describes other pictures",
    arguments: [
      ("<rdf:Description rdf:about='' dc:title='kept'/>", true),
      (announcement(["Primary", "GainMap"]) + "<!-- kept -->", true),
      (announcement(["Primary", "GainMap", "MotionPhoto"]) + "<!-- kept -->", false),
      (announcement(["Primary"]) + "<!-- kept -->", false),
    ])
  func xmp(content: String, isKept: Bool) throws {
    var notes: [String] = []
    let data = try file(Self.one, xmp: Self.before + content + Self.after, notes: &notes)
    let packet = String(decoding: try codecs.metadata(of: data).xmp ?? Data(), as: UTF8.self)
    #expect(packet.contains("kept") == isKept && notes.isEmpty == isKept)
    let map = try #require(try codecs.header(of: data).gainMap)
    #expect(
      packet.contains("Length=\"\(map.bytes.count)\"")
        && !packet.contains("Length=\"7\" />\(isKept ? "x" : "")"))
    #expect(packet.contains("hdrgm:Version"))
  }

  @Test("count towards the limit on bytes")
  func limit() throws {
    var notes: [String] = []
    let map = GainMapPicture(Self.one, bitmap: Self.ramp(PixelSize(40, 30)).converted(to: .gray8))
    let base = Self.ramp(PixelSize(160, 120), isColored: true)
    let whole = try codecs.encode(
      base, with: map, options: EncodingOptions(compressionQuality: 1), notes: &notes)
    let limit = whole.count - 200
    let options = EncodingOptions(compressionQuality: 1, maximumByteCount: limit)
    #expect(try codecs.encode(base, with: map, options: options, notes: &notes).count <= limit)
    #expect(throws: ImageEncodingError.self) {
      try codecs.encode(base, with: map, options: EncodingOptions(maximumByteCount: 900), notes: &notes)
    }
  }

  @Test("that do not fit the picture, or have impossible numbers, are not written")
  func misfits() {
    var notes: [String] = []
    var mad = Self.one
    mad.channels[0].maximum = .nan
    let square = Self.ramp(PixelSize(40, 40))
    for (numbers, bitmap) in [(Self.one, square), (mad, Self.ramp(PixelSize(40, 30)))] {
      #expect(throws: ImageEncodingError.self) {
        try codecs.encode(
          Self.ramp(PixelSize(160, 120)), with: GainMapPicture(numbers, bitmap: bitmap), notes: &notes)
      }
    }
  }
}
