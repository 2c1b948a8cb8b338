import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

/// Telephones and cameras write other things behind or beside the picture of a JPEG.
@Suite("The other contents of a JPEG")
struct JPEGRemainderTests {
  private static let video = Data([0, 0, 0, 24]) + Data("ftypmp42".utf8) + Data(count: 64)
  private static let google = "http://ns.google.com/photos/1.0/"

  private static func segment(_ marker: UInt8, _ content: Data) -> Data {
    Data([0xFF, marker] + BoxFile.big(content.count + 2, 2)) + content
  }

  private static func xmp(_ attributes: String) -> Data {
    let packet = "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:Description \(attributes)/></x:xmpmeta>"
    return segment(0xE1, Data("http://ns.adobe.com/xap/1.0/\0".utf8) + Data(packet.utf8))
  }

  /// A picture with a segment behind its first marker, and with bytes behind its last.
  private static func file(_ segment: Data = Data(), then rest: Data = Data()) throws -> Data {
    let plain = try fixture("matrix/jpeg-baseline-420.jpg")
    return plain.prefix(2) + segment + plain.dropFirst(2) + rest
  }

  /// A file with an index of other pictures, of these kinds, and with these segments of their own.
  private static func index(_ others: [(kind: Int, segment: Data)]) throws -> Data {
    let head = 4 + 4  // The marker, its length and the name.
    let list = 8 + 2 + 12 + 4
    func segment(_ pictures: [Data], _ first: Int) -> Data {
      var content = Data("MPF\0MM\0*".utf8) + Data(BoxFile.big(8, 4) + BoxFile.big(1, 2))
      content += Data(BoxFile.big(0xB002, 2) + BoxFile.big(7, 2) + BoxFile.big(16 * (pictures.count + 1), 4))
      content += Data(BoxFile.big(list, 4) + BoxFile.big(0, 4))
      content += Data(BoxFile.big(0x030000, 4) + BoxFile.big(first, 4) + [UInt8](repeating: 0, count: 8))
      // Offsets are counted from the byte order, which is behind two bytes and the head.
      var place = first - 2 - head
      for (picture, other) in zip(pictures, others) {
        content += Data(BoxFile.big(other.kind, 4) + BoxFile.big(picture.count, 4))
        content += Data(BoxFile.big(place, 4) + [0, 0, 0, 0])
        place += picture.count
      }
      return Self.segment(0xE2, content)
    }
    let pictures = try others.map { try file($0.segment) }
    let first = try file(segment(pictures, 0)).count
    return try file(segment(pictures, first), then: Data(pictures.joined()))
  }

  /// The pair of a stereo camera, with all that its index has, in the other order of bytes (CIPA DC-007 §5.2): a version,
  /// pictures, and what each has about itself; and an index in the second picture.
  private static func stereo() throws -> Data {
    func little(_ value: Int, _ count: Int) -> [UInt8] { BoxFile.big(value, count).reversed() }
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      little(tag, 2) + little(type, 2) + little(count, 4) + value
    }
    func view(_ number: Int) -> [UInt8] {
      // The number of the view, the viewpoint that the others are compared with, and the distance in metres.
      little(4, 2) + entry(0xB000, 7, 4, Array("0100".utf8)) + entry(0xB101, 4, 1, little(number, 4))
        + entry(0xB204, 4, 1, little(1, 4)) + entry(0xB205, 5, 1, little(200, 4)) + little(0, 4)
    }
    func segment(_ second: Data, at start: Int) -> Data {
      let list = 8 + 2 + 3 * 12 + 4
      var content = Array("MPF\0II*\0".utf8) + little(8, 4) + little(3, 2)
      content += entry(0xB000, 7, 4, Array("0100".utf8)) + entry(0xB001, 4, 1, little(2, 4))
      content += entry(0xB002, 7, 32, little(list, 4)) + little(list + 32, 4)
      // The first is the one to show.
      content += little(0x2002_0002, 4) + little(start, 4) + little(0, 8)
      content += little(0x0002_0002, 4) + little(second.count, 4) + little(start - 10, 4) + little(0, 4)
      return Self.segment(0xE2, Data(content + view(1)))
    }
    let second = try file(
      Self.segment(0xE2, Data(Array("MPF\0II*\0".utf8) + little(8, 4) + view(2))))
    return try file(segment(second, at: file(segment(second, at: 0)).count), then: second)
  }

  private static func auxiliary(_ type: String) -> Data {
    xmp("xmlns:apdi=\"http://ns.apple.com/pixeldatainfo/1.0/\" apdi:AuxiliaryImageType=\"\(type)\"")
  }

  /// Samsung's directory, behind the things that it lists.
  private static func trailer(_ kinds: [Int], count: Int? = nil) -> Data {
    func little(_ value: Int, _ count: Int) -> [UInt8] { BoxFile.big(value, count).reversed() }
    var table = Array("SEFH".utf8) + little(106, 4) + little(count ?? kinds.count, 4)
    for kind in kinds { table += [0, 0] + little(kind, 2) + little(100, 4) + little(80, 4) }
    return Data(count: 100) + Data(table + little(table.count, 4) + Array("SEFT".utf8))
  }

  private static func semantics(_ length: Int) -> String {
    "xmlns:Container=\"\(google)container/\" Item:Mime=\"video/mp4\" Item:Semantic=\"MotionPhoto\""
      + " Item:Length=\"\(length)\" Item:Padding=\"0\""
  }

  private static func cases() throws -> [(Data, String?)] {
    let camera = "xmlns:GCamera=\"\(google)camera/\" GCamera:MicroVideo=\"1\" GCamera:MicroVideoOffset="
    let elements =
      "/><Container:Item xmlns:a=\"\(google)container/\"><Item:Semantic>MotionPhoto</Item:Semantic>"
      + "<Item:Length>\(video.count)</Item:Length></Container:Item><a"
    return [
      (try file(), nil),
      (try file(then: video), nil),
      (try file(xmp("\(camera)\"\(video.count)\""), then: video), "a video"),
      (try file(xmp(semantics(video.count)), then: video), "a video"),
      (try file(xmp(elements), then: video), "a video"),
      // The video was lost, or numbers are wrong.
      (try file(xmp(semantics(video.count))), nil),
      (try file(xmp("\(camera)\"99999999999999999999\""), then: video), nil),
      (try file(xmp("\(camera)\"-1\""), then: video), nil),
      (try file(xmp("\(camera)"), then: video), nil),
      (try file(xmp("xmlns:GDepth=\"\(google)depthmap/\" GDepth:Format=\"RangeInverse\"")), "depth"),
      (
        try file(xmp("xmlns:GImage=\"\(google)image/\" xmlns:GAudio=\"\(google)audio/\"")),
        "sound, another picture"
      ),
      (try file(xmp("xmlns:DepthMap=\"http://ns.google.com/photos/dd/1.0/depthmap/\"")), "depth"),
      (try index([(0x03_0000, Data())]), "another picture"),
      (try index([(0x04_0001, Data()), (0, Data()), (0x01_0001, Data())]), "2 other pictures"),
      (try index([(0x01_0002, Data())]), nil),
      (try index([(0x02_0001, Data()), (0x02_0001, Data())]), "parts of a panorama"),
      (try index([(0x02_0003, Data()), (0, Data())]), "views from other sides, another picture"),
      (try stereo(), "a second view for stereo"),
      (
        try index([
          (0, auxiliary("disparity")), (0, auxiliary("urn:com:apple:photo:2018:aux:portraiteffectsmatte")),
          (0, auxiliary("urn:com:apple:photo:2020:aux:hdrgainmap")),
        ]), "depth, a portrait matte, a gain map"
      ),
      // As telephones write a matte: its type is depth.
      (
        try index([(0, auxiliary("depth\" apdi:AuxiliaryImageSubType=\"portraiteffectsmatte"))]),
        "a portrait matte"
      ),
      (try index([(0, auxiliary("depth"))]), "depth"),
      (try file(then: trailer([0x0A01, 0x0A30])), "a video"),
      (try file(then: trailer([0x0100, 0x0AB1, 0x0A20])), "sound, depth, another picture"),
      (try file(then: trailer([0x0A30], count: 1 << 30)), "a video"),
      (try file(then: trailer([]).dropFirst(100)), nil),
      (try file(then: Data("SEFH\u{FF}\u{FF}\u{FF}\u{FF}SEFT".utf8)), nil),
    ]
  }

  @Test("are named in a note, and the picture is the same")
  func notes() throws {
    let expected = try CodecRegistry.standard.picture(from: Self.file()).bitmap
    for (index, (data, words)) in try Self.cases().enumerated() {
      let picture = try CodecRegistry.standard.picture(from: data)
      #expect(picture.header?.notes == (words.map { ["it also holds \($0)"] } ?? []), "\(index)")
      #expect(picture.notes == picture.header?.notes)
      #expect(picture.bitmap == expected, "\(index)")
    }
  }

  @Test("are not read beyond the end of the file, wherever that is")
  func cut() throws {
    for (data, _) in try Self.cases() {
      for count in stride(from: data.count, through: 2, by: -7) {
        _ = try? CodecRegistry.standard.header(of: data.prefix(count))
        var mutant = data
        mutant[mutant.startIndex + count - 1] ^= 0xFF
        _ = try? CodecRegistry.standard.header(of: mutant)
      }
    }
  }
}
