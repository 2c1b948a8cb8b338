import Foundation
import OzuBase
import OzuCodecs
import OzuImaging
import OzuTesting
import Testing

@Suite("Metadata as values")
struct MetadataValuesTests {
  typealias Entry = TaggedFile.Entry

  /// Some blocks, the value that is looked at, and what it must be.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let exif: Data?
    let iptc: Data?
    let xmp: Data?
    let value: @Sendable (MetadataValues) -> String?
    let wanted: String?

    init(
      _ name: String, picture: [Entry] = [], details: [Entry] = [], place: [Entry] = [], offsetType: Int = 4,
      iptc: [UInt8]? = nil, xmp: Data? = nil, _ wanted: String?,
      _ value: @escaping @Sendable (MetadataValues) -> String?
    ) {
      testDescription = name
      let file = TaggedFile(picture: picture, details: details, place: place, offsetType: offsetType)
      exif = picture.isEmpty && details.isEmpty && place.isEmpty ? nil : file.data
      self.iptc = iptc.map { Data($0) }
      self.xmp = xmp
      self.value = value
      self.wanted = wanted
    }
  }

  private static func text(_ value: Double?) -> String? { value.map { "\($0)" } }

  // The values that exiftool 12.57 has for the same blocks.
  static let cases: [Case] = [
    Case("maker, with spaces", picture: [.text(0x010F, "NIKON CORPORATION  ")], "NIKON CORPORATION") {
      $0.make
    },
    Case("Latin-1", picture: [.bytes(0x013B, 2, [0x4D, 0xFC, 0x6C, 0])], "Mül") { $0.artist },
    Case("UTF-8", picture: [.text(0x013B, "Mül")], "Mül") { $0.artist },
    Case("a title of Windows", picture: [.bytes(0x9C9B, 1, [0x41, 0, 0x3D, 0xD8, 0, 0xDE, 0, 0])], "A😀") {
      $0.title
    },
    Case("keywords of Windows", picture: [.bytes(0x9C9E, 1, [0x61, 0, 0x3B, 0, 0x62, 0])], "a,b") {
      $0.keywords.joined(separator: ",")
    },
    Case(
      "two copyrights", picture: [.bytes(0x8298, 2, Array("me\0you\0".utf8))], "me\nyou", { $0.copyright }),
    Case(
      "a date with fraction and offset",
      details: [
        .text(0x9003, "2024:05:31 18:20:00"), .text(0x9291, "25 "), .text(0x9011, "-07:30"),
      ], "2024-05-31T18:20:00.25-07:30"
    ) { $0.originalDate?.description },
    Case("an empty date", details: [.text(0x9003, "    :  :     :  :  ")], nil) {
      $0.originalDate?.description
    },
    Case("a date of zeros", details: [.text(0x9004, "0000:00:00 00:00:00")], nil) {
      $0.digitizedDate?.description
    },
    Case("a month alone", xmp: TaggedFile.xmp("", attributes: "xmp:ModifyDate=\"2024-05\""), "2024-05") {
      $0.modificationDate?.description
    },
    Case("an exposure", details: [.fractions(0x829A, [10, 1600])], "0.00625") { text($0.exposureTime) },
    Case(
      "offsets of the type of directories", details: [.fractions(0x829A, [1, 8])], offsetType: 13, "0.125"
    ) {
      text($0.exposureTime)
    },
    Case(
      "a date in the first directory", picture: [.text(0x9003, "2009:01:19 22:56:26")], "2009-01-19T22:56:26"
    ) {
      $0.originalDate?.description
    },
    Case("an exposure in the first directory", picture: [.fractions(0x829A, [1, 2])], "0.5") {
      text($0.exposureTime)
    },
    Case(
      "zeros", details: [.fractions(0x829A, [0, 1]), .fractions(0x9201, [0, 1], isSigned: true)], nil,
      { text($0.exposureTime) }),
    Case("a logarithm of zero", details: [.fractions(0x9201, [0, 1], isSigned: true)], "1.0") {
      text($0.exposureTime)
    },
    Case("no denominator", details: [.fractions(0x829A, [1, 0])], nil) { text($0.exposureTime) },
    Case("a logarithm", details: [.fractions(0x9202, [6, 1])], "8.0") { text($0.fNumber) },
    Case("a float", details: [Entry(tag: 0x829D, type: 11, count: 1, bytes: [0x40, 0x20, 0, 0])], "2.5") {
      text($0.fNumber)
    },
    Case("no number", details: [Entry(tag: 0x829D, type: 11, count: 1, bytes: [0x7F, 0xC0, 0, 0])], nil) {
      text($0.fNumber)
    },
    Case(
      "a double", details: [Entry(tag: 0x829D, type: 12, count: 1, bytes: [0x40, 0x04, 0, 0, 0, 0, 0, 0])],
      "2.5"
    ) { text($0.fNumber) },
    Case("a negative logarithm", details: [.fractions(0x9201, [-2, 1], isSigned: true)], "4.0") {
      text($0.exposureTime)
    },
    Case(
      "more than 65,535",
      details: [.short(0x8827, 65_535), Entry(tag: 0x8832, type: 4, count: 1, bytes: [0, 1, 0x90, 0])],
      "102400"
    ) { $0.isoSensitivity.map(String.init) },
    Case("a sensitivity below 1", xmp: TaggedFile.xmp("", attributes: "exif:ISOSpeedRatings=\"0.25\""), nil) {
      $0.isoSensitivity.map(String.init)
    },
    Case("film", details: [.fractions(0x920A, [42, 10]), .short(0xA405, 26)], "4.2 26.0") {
      "\($0.focalLength ?? 0) \($0.focalLengthIn35mm ?? 0)"
    },
    Case("a flash", details: [.short(0x9209, 0x19)], "25 true") {
      "\($0.flash ?? 0) \($0.flashFired ?? false)"
    },
    Case(
      "the south", place: [.text(1, "S"), .fractions(2, [33, 1, 51, 1, 3150, 100])], "-33.85875"
    ) {
      text($0.latitude)
    },
    Case("a latitude without a direction", place: [.fractions(2, [33, 1, 51, 1, 0, 1])], nil) {
      text($0.latitude)
    },
    Case("degrees alone, no minutes", place: [.text(3, "W"), .fractions(4, [5, 2, 0, 0, 0, 0])], "-2.5") {
      text($0.longitude)
    },
    Case("beyond the pole", place: [.text(1, "N"), .fractions(2, [91, 1, 0, 1, 0, 1])], nil) {
      text($0.latitude)
    },
    Case("below the sea", place: [.bytes(5, 1, [1]), .fractions(6, [125, 10])], "-12.5") {
      text($0.altitude)
    },
    Case(
      "a place in XMP", xmp: TaggedFile.xmp("", attributes: "exif:GPSLatitude='40,30.6S'"), "-40.51"
    ) {
      text($0.latitude)
    },
    Case(
      "alternatives, and another prefix",
      xmp: Data(
        """
        <r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><r:Description xmlns:d="http://purl.org/dc/elements/1.1/">\
        <d:title><r:Alt><r:li xml:lang="de">Nein</r:li><r:li xml:lang="x-default">A &amp; &#x42;</r:li></r:Alt></d:title>\
        </r:Description></r:RDF>
        """.utf8), "A & B"
    ) { $0.title },
    Case(
      "a list",
      xmp: TaggedFile.xmp("<dc:subject><rdf:Bag><rdf:li>a</rdf:li><rdf:li>b</rdf:li></rdf:Bag></dc:subject>"),
      "a,b"
    ) { $0.keywords.joined(separator: ",") },
    Case("UTF-16", xmp: utf16(TaggedFile.xmp("<dc:rights>©</dc:rights>")), "©") { $0.copyright },
    Case("rejected", xmp: TaggedFile.xmp("<xmp:Rating>-1</xmp:Rating>"), "-1.0") { text($0.rating) },
    Case(
      "a structure", xmp: TaggedFile.xmp("<exif:Flash exif:Fired=\"True\" exif:Mode=\"1\"/>"), "9"
    ) {
      $0.flash.map(String.init)
    },
    Case(
      "data sets",
      iptc: TaggedFile.dataSet(25, "a") + TaggedFile.dataSet(25, "b") + TaggedFile.dataSet(5, "T"),
      "T: a,b"
    ) { "\($0.title ?? ""): \($0.keywords.joined(separator: ","))" },
    Case(
      "a date of IPTC", iptc: TaggedFile.dataSet(55, "20240531") + TaggedFile.dataSet(60, "182000+0200"),
      "2024-05-31T18:20:00+02:00"
    ) { $0.originalDate?.description },
    Case(
      "EXIF before XMP", picture: [.text(0x010E, "exif")],
      xmp: TaggedFile.xmp("<dc:description>xmp</dc:description>"), "exif"
    ) { $0.description },
    Case(
      "XMP for spaces in EXIF", picture: [.text(0x010E, "   ")],
      xmp: TaggedFile.xmp("<dc:description>xmp</dc:description>"), "xmp"
    ) { $0.description },
    Case(
      "XMP before IPTC", iptc: TaggedFile.dataSet(120, "iptc"),
      xmp: TaggedFile.xmp("<dc:description>xmp</dc:description>"), "xmp"
    ) { $0.description },
    Case(
      "a comment in another language",
      details: [.bytes(0x9286, 7, Array("UNICODE\0".utf8) + [0x7E, 0xA2, 0x8F, 0x66])], "UserComment=红车"
    ) {
      $0.otherTags.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
    },
    Case(
      "a comment that is none", details: [.bytes(0x9286, 7, [1, 0xFF, 2, 0xFE, 3, 0xFD, 4, 0xFC, 5])],
      "UserComment=(9 bytes)"
    ) {
      $0.otherTags.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
    },
    Case(
      "other tags", picture: [.text(0x010D, "doc"), .short(0xC000, 1, 2)],
      details: [.bytes(0x9286, 7, Array("UNICODE\0".utf8) + [0, 0x68, 0, 0x69])],
      place: [.text(29, "2024:05:31")],
      "DocumentName=doc 0xC000=1, 2 UserComment=hi GPSDateStamp=2024:05:31"
    ) {
      $0.otherTags.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
    },
  ]

  private static func utf16(_ packet: Data) -> Data {
    Data([0xFF, 0xFE])
      + String(decoding: packet, as: UTF8.self).utf16.flatMap {
        [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
      }
  }

  @Test("of each block are those that exiftool reads", arguments: cases)
  func values(_ some: Case) {
    let values = MetadataValues(exif: some.exif, iptc: some.iptc, iptcDigest: nil, xmp: some.xmp)
    #expect(some.value(values) == some.wanted)
    #expect(values.flaw == nil)
    guard let exif = some.exif else { return }
    #expect(EXIFMetadata.find(in: exif.span)?.isoSensitivity == values.isoSensitivity)
  }

  @Test(
    "of a header have letters of Latin-1, no half of a letter, and no date that nobody set",
    arguments: [
      ("2019:01:02 03:04:05", "2019:01:02 03:04:05"), ("0000:00:00 00:00:00", "2020:05:06 07:08:09"),
      ("    :  :     :  :  ", "2020:05:06 07:08:09"),
    ])
  func header(date: String, wanted: String) {
    let file = TaggedFile(
      picture: [.bytes(0x0110, 2, [0x4D, 0xFC, 0x6C, 0]), .text(0x0132, "2020:05:06 07:08:09")],
      details: [.text(0x9003, date), .text(0xA434, "x" + String(repeating: "ä", count: 40))]
    ).data
    let metadata = EXIFMetadata.find(in: file.span)
    #expect(metadata?.captureDate == wanted)
    #expect(metadata?.camera == "Mül")
    #expect(metadata?.lens == "x" + String(repeating: "ä", count: 31))
  }

  @Test("of IPTC-IIM come before those of XMP if it was changed later", arguments: [true, false])
  func digest(isChanged: Bool) throws {
    let iptc = TaggedFile.dataSet(120, "iptc")
    let digest = isChanged ? [UInt8](repeating: 1, count: 16) : MD5.digest(iptc)
    func resource(_ number: Int, _ content: [UInt8]) -> [UInt8] {
      Array("8BIM".utf8) + TaggedFile.big(number, 2) + [0, 0] + TaggedFile.big(content.count, 4) + content
        + [UInt8](repeating: 0, count: content.count % 2)
    }
    let resources = Array("Photoshop 3.0\0".utf8) + resource(0x0404, iptc) + resource(0x0425, digest)
    let packet =
      Array("http://ns.adobe.com/xap/1.0/\0".utf8) + TaggedFile.xmp("<dc:description>xmp</dc:description>")
    let jpeg = try fixture("matrix/jpeg-gray.jpg")
    func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
      [0xFF, marker] + TaggedFile.big(content.count + 2, 2) + content
    }
    let file = jpeg.prefix(2) + segment(0xED, resources) + segment(0xE1, packet) + jpeg.dropFirst(2)
    let metadata = try CodecRegistry.standard.metadata(of: file)
    #expect(metadata.iptc == Data(iptc))
    #expect(metadata.values.description == (isChanged ? "iptc" : "xmp"))
  }

  /// A JPEG whose XMP continues in further segments, which have the pieces `(offset, byte count)`.
  private static func extended(
    _ pieces: [(Int, Int)], named digest: String = String(repeating: "A", count: 32), declared: Int? = nil
  ) throws -> Data {
    func segment(_ content: [UInt8]) -> [UInt8] {
      [0xFF, 0xE1] + TaggedFile.big(content.count + 2, 2) + content
    }
    let first = TaggedFile.xmp(
      "<dc:title>first</dc:title>",
      attributes: "xmlns:n=\"http://ns.adobe.com/xmp/note/\" n:HasExtendedXMP=\"\(digest)\"")
    let second = [UInt8](TaggedFile.xmp("<dc:title>second</dc:title><dc:rights>whose</dc:rights>"))
    var segments = segment(Array("http://ns.adobe.com/xap/1.0/\0".utf8) + first)
    for (index, (offset, byteCount)) in pieces.enumerated() {
      let name =
        Array("http://ns.adobe.com/xmp/extension/\0".utf8) + Array(repeating: UInt8(ascii: "A"), count: 32)
      let part = second.dropFirst(offset).prefix(byteCount)
      let content = name + TaggedFile.big(declared ?? second.count, 4) + TaggedFile.big(offset, 4) + part
      // Before the first packet, too.
      segments = index == 0 ? segment(content) + segments : segments + segment(content)
    }
    let jpeg = try fixture("matrix/jpeg-gray.jpg")
    return jpeg.prefix(2) + segments + jpeg.dropFirst(2)
  }

  @Test(
    "of extended XMP are read from its pieces, in any order",
    arguments: [
      [(0, 9000)], [(0, 100), (100, 9000)], [(100, 9000), (0, 100)], [(0, 100), (0, 100), (100, 9000)],
    ])
  func extendedXMP(pieces: [(Int, Int)]) throws {
    let file = try Self.extended(pieces)
    let metadata = try CodecRegistry.standard.metadata(of: file)
    #expect(
      metadata.values.title == "first" && metadata.values.copyright == "whose" && metadata.notes.isEmpty)
    let cleaned = try CleanedFile(file, keeping: .copyright)
    #expect(cleaned.dropped == ["XMP"] && cleaned.data.range(of: Data("second".utf8)) == nil)
    #expect(try CodecRegistry.standard.metadata(of: cleaned.data).values.copyright == "whose")
  }

  @Test(
    "of extended XMP that is not whole, too large, or of another file are left out",
    arguments: [
      ([(0, 100)], nil, nil), ([(0, 100), (101, 9000)], nil, nil), ([(0, 9000)], 5 << 20, nil),
      ([(0, 9000)], nil, String(repeating: "B", count: 32)), ([(0, 9000)], nil, "A"), ([(0, 0)], 0, nil),
    ] as [([(Int, Int)], Int?, String?)])
  func extendedXMPInParts(pieces: [(Int, Int)], declared: Int?, digest: String?) throws {
    let file = try Self.extended(
      pieces, named: digest ?? String(repeating: "A", count: 32), declared: declared)
    let metadata = try CodecRegistry.standard.metadata(of: file)
    #expect(metadata.values.title == "first" && metadata.values.copyright == nil && metadata.notes.count == 1)
    #expect(try CleanedFile(file, keeping: .copyright).dropped == ["XMP"])
  }

  @Test(
    "of containers are read with their blocks",
    arguments: ["exif.jpg", "exif.avif", "exif.jxl", "exif.tif"])
  func containers(name: String) throws {
    guard isDecodable(name) else { return }
    let values = try CodecRegistry.standard.metadata(of: fixture("metadata/\(name)")).values
    #expect(values.make == "Ozu Works" && values.model?.hasSuffix("Still 50") == true)
    #expect([values.originalDate, values.modificationDate].contains(MetadataDate("2023-01-02T03:04:05")))
  }

  @Test("of a GIF are those of its XMP", arguments: [0, 258])
  func xmpOfGIF(missing: Int) throws {
    let packet = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF><rdf:Description dc:title='T'/>".utf8)
    let trailer = [1] + (0...255).reversed().map { UInt8($0) } + [0]
    let frame = GIFWriter.Frame(width: 1, height: 1, indices: [1])
    let plain = GIFWriter(width: 1, height: 1, frames: [frame]).data
    let block = Data([0x21, 0xFF, 11]) + Data("XMP DataXMP".utf8) + packet + trailer.dropLast(missing)
    let metadata = try CodecRegistry.standard.metadata(of: plain.dropLast() + block + [0x3B])
    #expect(metadata.xmp == (missing == 0 ? packet : nil))
    #expect(try CodecRegistry.standard.metadata(of: plain).xmp == nil)
  }

  @Test("of any bytes are possible, and bounded", arguments: Cases.every(3, of: Array(0..<8)))
  func mutations(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let whole = Self.cases.filter { $0.exif != nil || $0.xmp != nil || $0.iptc != nil }
    for round in 0..<2000 {
      func changed(_ data: Data?) -> Data? {
        guard var data, !data.isEmpty else { return nil }
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          let position = Int.random(in: 0..<data.count, using: &random)
          data[position] =
            [0, 1, 0x7F, 0xFF, 0x3C, 0x22, UInt8.random(in: 0...255, using: &random)]
            .randomElement(using: &random) ?? 0
        }
        return round % 5 == 0 ? data.prefix(Int.random(in: 0...data.count, using: &random)) : data
      }
      let some = whole[round % whole.count]
      let values = MetadataValues(
        exif: changed(some.exif), iptc: changed(some.iptc), iptcDigest: nil, xmp: changed(some.xmp))
      #expect(values.flaw == nil, "seed \(seed), round \(round)")
    }
  }

  @Test("of XMP that never ends are bounded")
  func bounds() {
    let deep = String(repeating: "<dc:a>", count: 100_000)
    let many = String(repeating: "<dc:subject>x</dc:subject>", count: 10_000)
    // More namespaces than any packet has: the names of those beyond are not known.
    let spaces = (0..<200).map { "xmlns:n\($0)=\"http://purl.org/dc/elements/1.1/\"" }.joined(separator: " ")
    let named = TaggedFile.xmp("<n1:title>a</n1:title><n199:rights>b</n199:rights>", attributes: spaces)
    let values = MetadataValues(exif: nil, iptc: nil, iptcDigest: nil, xmp: named)
    #expect(values.title == "a" && values.copyright == nil)
    let long = "<dc:title>\(String(repeating: "ü", count: 100_000))</dc:title>"
    for content in [deep, many, long, "<!DOCTYPE a [<!ENTITY b \"c\">]><dc:title>&b;</dc:title>"] {
      let values = MetadataValues(exif: nil, iptc: nil, iptcDigest: nil, xmp: TaggedFile.xmp(content))
      #expect(values.flaw == nil)
      #expect(values.title.map { $0.utf8.count <= MetadataValues.longestText } ?? true)
      #expect(values.title?.contains("c") != true)
    }
  }

  @Test(
    "of dates are read in each notation, and written in one",
    arguments: [
      ("2024:05:31 18:20:00", "2024-05-31T18:20:00"), ("2024-05-31T18:20Z", "2024-05-31T18:20Z"),
      ("20240531182000-0730", "2024-05-31T18:20:00-07:30"), ("2024", "2024"), ("2024:13:01 00:00:00", "2024"),
      ("2024-05-31T18:20:00.1234567891234+05:30", "2024-05-31T18:20:00.123456789+05:30"),
      ("20240500", "2024-05"), ("", nil), ("-024:05:31", nil), ("0000-01-01", nil), ("yesterday", nil),
    ] as [(String, String?)])
  func dates(_ text: String, _ wanted: String?) {
    let date = MetadataDate(text)
    #expect(date?.description == wanted)
    #expect(wanted.flatMap { MetadataDate($0) } == date)
  }
}
