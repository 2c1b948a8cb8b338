import Foundation
import OzuStandardCodecs
import OzuTesting
import Testing

@testable import OzuCodecs
@testable import OzuImaging

@Suite("Gain maps of HEIC and AVIF")
struct HEIFGainMapTests {
  private static let codecs = CodecRegistry.standard

  enum Kind: CaseIterable {
    /// A `tmap` item in AVIF, and in HEIC.
    case avif, heic
    /// Apple's auxiliary picture, with its headroom in XMP or in the maker note.
    case apple, appleNote
  }

  private static func isReadable(_ kind: Kind) -> Bool {
    codecs.decodableTypes.contains(kind == .avif ? .avif : .heic)
  }

  /// No gain to two stops, for a headroom of two stops.
  private static func numbers(most: Int = 2, headroom: Int = 2, denominator: Int = 1) -> [UInt8] {
    let fractions = [0, headroom, 0, most, 1, 0, 0]
    return [0, 0, 0, 0, 0, 0x40] + fractions.flatMap { BoxFile.big($0, 4) + BoxFile.big(denominator, 4) }
  }

  private static func file(
    _ kind: Kind, numbers: [UInt8] = numbers(), headroom: String = "=\"4.0\""
  ) throws -> Data {
    switch kind {
    case .avif, .heic:
      var file = BoxFile(
        try fixture(kind == .avif ? "matrix/avif-420-q90.avif" : "matrix/heic-alpha-444.heic"))
      // Newer versions of libavif read the map, too, if the file names this brand.
      if kind == .avif { file.grow(["ftyp"], by: Array("tmap".utf8)) }
      // The map has the same pixels as the picture.
      let length = file.extent(of: 1).length
      let type = Array((kind == .avif ? "av01" : "hvc1").utf8)
      let properties: [UInt8] = kind == .avif ? [4, 0x01, 0x02, 0x83, 0x04] : [5, 0x81, 2, 3, 5, 0x84]
      file.add(
        [
          ("infe", [2, 0, 0, 1, 0, 8, 0, 0] + type + [0], .there(length)),
          ("infe", [2, 0, 0, 0, 0, 9, 0, 0] + Array("tmap".utf8) + [0], .new(numbers)),
        ], references: BoxFile.box("dimg", [0, 9, 0, 2, 0, 1, 0, 8]), properties: [0, 8] + properties)
      return file.data
    case .apple, .appleNote:
      var file = BoxFile(try fixture("matrix/heic-alpha-444.heic"))
      let name = Array("urn:com:apple:photo:2020:aux:hdrgainmap\0".utf8)
      let place = try #require(file.firstRange(of: "urn:mpeg"))
      file.replace(at: place, with: Array(name.prefix(27)))
      file.grow(["meta", "iprp", "ipco", "auxC"], by: Array(name.dropFirst(27)))
      if kind == .apple {
        let packet = Array(
          "<rdf:RDF><rdf:Description HDRGainMap:HDRGainMapHeadroom\(headroom)/></rdf:RDF>".utf8)
        file.add(
          [("infe", [2, 0, 0, 0, 0, 8, 0, 0] + Array("mime\0application/rdf+xml\0".utf8), .new(packet))],
          references: BoxFile.box("cdsc", [0, 8, 0, 1, 0, 2]), properties: nil)
        return file.data
      }
      // The numbers 33 and 48 of the note are 1: 2.303 stops minus 0.303.
      func rational(_ tag: UInt8, _ offset: Int) -> [UInt8] {
        [0, tag, 0, 10] + BoxFile.big(1, 4) + BoxFile.big(offset, 4)
      }
      let note =
        Array("Apple iOS\0\0\u{1}MM".utf8) + [0, 2] + rational(33, 40) + rational(48, 48)
        + BoxFile.big(1, 4) + BoxFile.big(1, 4) + BoxFile.big(1, 4) + BoxFile.big(1, 4)
      file.add(
        [("infe", [2, 0, 0, 1, 0, 8, 0, 0] + Array("Exif\0".utf8), .new([0, 0, 0, 0] + note))],
        references: BoxFile.box("cdsc", [0, 8, 0, 1, 0, 1]), properties: nil)
      return file.data
    }
  }

  private static func map(_ gainMap: GainMap, in data: Data) -> Data {
    var data = data
    for edit in gainMap.edits {
      data.replaceSubrange(edit.offset..<edit.offset + edit.bytes.count, with: edit.bytes)
    }
    return data
  }

  @Test("are recognised and applied", arguments: Kind.allCases)
  func applied(kind: Kind) throws {
    guard Self.isReadable(kind) else { return }
    let data = try Self.file(kind)
    let header = try Self.codecs.header(of: data)
    #expect(header.notes.isEmpty, "\(header.notes)")
    let gainMap = try #require(header.gainMap)
    #expect(abs(gainMap.alternateHeadroom - 2) < 1e-9)
    // The place of the map is the whole file.
    for count in stride(from: 0, to: data.count, by: 97) {
      if case .settled = Self.codecs.header(ofBeginning: data.prefix(count), limits: .default) {
        Issue.record("settled by \(count) of \(data.count) bytes")
      }
    }
    let base = try Self.codecs.picture(from: data)
    #expect(base.bitmap.format == .bgra8 && base.notes.isEmpty)
    let values = try Self.codecs.picture(from: Self.map(gainMap, in: data)).bitmap
    #expect(values.size == base.size && (values == base.bitmap) == (kind == .avif))
    let picture = try Self.codecs.picture(from: data, context: DecodingContext().brightened(toStops: 2))
    #expect(picture.notes.contains { $0.contains("was applied") }, "\(picture.notes)")
    #expect(picture.bitmap.format == .rgba16)
    for (x, y) in [(3, 3), (30, 20), (50, 40), (10, 44)] {
      guard base.bitmap[x, y].alpha == 255 else { continue }
      let value = Double(values[x, y].green) / 255
      let gain =
        kind == .avif || kind == .heic
        ? exp2(2 * value) : 1 + 3 * (value < 0.081 ? value / 4.5 : pow((value + 0.099) / 1.099, 1 / 0.45))
      let expected = min(SRGBCurve.light(Double(base.bitmap[x, y].green) / 255) * gain, 4) * 203
      let found = picture.bitmap.withUnsafeBytes {
        let place = y * picture.bitmap.bytesPerRow + x * 8 + 2
        return PerceptualQuantizer.light(Double($0.load(fromByteOffset: place, as: UInt16.self)) / 65_535)
      }
      #expect(abs(found - expected) < 0.02 * expected + 0.1, "\(found) \(expected)")
    }
  }

  @Test("are written in stops when they are kept in JPEG")
  func kept() throws {
    guard Self.isReadable(.apple) else { return }
    let data = try Self.file(.apple)
    let header = try Self.codecs.header(of: data)
    let picture = try Self.codecs.picture(from: data)
    let map = try Self.codecs.gainMap(
      of: data, header: header, resize: nil, steps: [], picture: picture.bitmap, context: DecodingContext())
    let own = try #require(map)
    let values = try Self.codecs.picture(from: Self.map(#require(header.gainMap), in: data)).bitmap
    #expect(own.numbers.coding == .stops && own.numbers.edits.isEmpty && own.bitmap.size == values.size)
    for x in stride(from: 0, to: values.size.width, by: 5) {
      let gain = try #require(header.gainMap).stops(
        Double(values[x, 9].green) / 255, .init(minimum: 0, maximum: 2))
      #expect(abs(Double(own.bitmap[x, 9].green) / 255 * 2 - gain) < 0.005)
    }
  }

  @Test("with wrong facts give the picture and a note", arguments: [Kind.avif, .heic])
  func lies(kind: Kind) throws {
    guard Self.isReadable(kind) else { return }
    let plain = try Self.codecs.picture(from: Self.file(kind)).bitmap
    let lies: [[UInt8]] = [
      Self.numbers(denominator: 0), Self.numbers(most: 1 << 20), Self.numbers(headroom: 0), [0, 0],
      [7] + Array(Self.numbers().dropFirst()),
    ]
    for (index, numbers) in lies.enumerated() {
      let data = try Self.file(kind, numbers: numbers)
      let picture = try Self.codecs.picture(from: data, context: DecodingContext().brightened(to: 4))
      #expect(picture.bitmap == plain && !picture.notes.isEmpty, "\(index)")
    }
  }

  @Test(
    "with nothing where the headroom should be give the picture and a note",
    arguments: ["", "=", "='", "></hdrgm:", "</hdrgm:", "</hdrgm:</hdrgm:", "='nan'", "='1e999'", "='-1e19'"])
  func nothing(_ headroom: String) throws {
    guard Self.isReadable(.apple) else { return }
    let header = try Self.codecs.header(of: Self.file(.apple, headroom: headroom))
    #expect(header.gainMap == nil)
    #expect(header.notes.count == 1 && header.notes[0].contains("gain map"), "\(header.notes)")
  }

  @Test("broken at any byte are never an error for an intact picture", arguments: Kind.allCases)
  func broken(kind: Kind) throws {
    guard Self.isReadable(kind) else { return }
    let file = BoxFile(try Self.file(kind))
    let meta = try #require(file.boxes(["meta"])?.first)
    for offset in stride(from: meta.lowerBound + 8, to: meta.upperBound, by: Cases.step(7, of: 3)) {
      var broken = file
      broken.bytes[offset] ^= 0x55
      guard let base = try? Self.codecs.picture(from: broken.data) else { continue }
      let picture = try Self.codecs.picture(from: broken.data, context: DecodingContext().brightened(to: 4))
      #expect(picture.size == base.size, "\(offset)")
    }
  }
}

extension BoxFile {
  enum Extent {
    /// This many bytes of the first item.
    case there(Int)
    /// Bytes that are appended after it.
    case new([UInt8])
  }

  /// The entries of the `iloc` box, each with the fields that moving it changes, in a file with numbers of four
  /// bytes.
  private var places: [(entry: Int, start: Int, base: Int)] {
    guard let iloc = boxes(["meta", "iloc"])?.last else { return [] }
    let base = integer(at: iloc.lowerBound + 13, 1) >> 4
    return (0..<integer(at: iloc.lowerBound + 14, 2)).map {
      let entry = iloc.lowerBound + 16 + $0 * (14 + base)
      return (entry, base == 0 ? entry + 6 : entry + 4, base)
    }
  }

  /// The place of an item.
  fileprivate func extent(of item: Int) -> (offset: Int, length: Int) {
    guard let place = places.first(where: { integer(at: $0.entry, 2) == item }) else { return (0, 0) }
    let offset = place.entry + 6 + place.base
    let base = place.base == 0 ? 0 : integer(at: place.entry + 4, 4)
    return (base + integer(at: offset, 4), integer(at: offset + 4, 4))
  }

  private mutating func move(by distance: Int) {
    for place in places {
      replace(at: place.start, with: Self.big(integer(at: place.start, 4) + distance, 4))
    }
  }

  /// Appends bytes to a box before the pixels, and moves the offsets of items.
  mutating func grow(_ path: [String], by content: [UInt8]) {
    append(content, to: path)
    move(by: content.count)
  }

  fileprivate mutating func add(
    _ items: [(type: String, content: [UInt8], extent: Extent)], references: [UInt8], properties: [UInt8]?
  ) {
    for item in items { grow(["meta", "iinf"], by: Self.box(item.type, item.content)) }
    increase(["meta", "iinf"], at: 12, 2, by: items.count)
    if boxes(["meta", "iref"]) == nil { grow(["meta"], by: Self.box("iref", [0, 0, 0, 0])) }
    grow(["meta", "iref"], by: references)
    if let properties {
      grow(["meta", "iprp", "ipma"], by: properties)
      increase(["meta", "iprp", "ipma"], at: 12, 4, by: 1)
    }
    // The entries themselves make the box longer, and it is before the pixels.
    let width = 14 + (places.first?.base ?? 0)
    move(by: width * items.count)
    let first = extent(of: 1)
    for (index, item) in items.enumerated() {
      let base = [UInt8](repeating: 0, count: width - 14)
      let head = Array(item.content[4..<6]) + [0, 0] + base + [0, 1]
      switch item.extent {
      case .there(let length):
        append(head + Self.big(first.offset, 4) + Self.big(length, 4), to: ["meta", "iloc"])
      case .new(let content):
        let place = bytes.count + width * (items.count - index)
        append(head + Self.big(place, 4) + Self.big(content.count, 4), to: ["meta", "iloc"])
        bytes += content
      }
    }
    increase(["meta", "iloc"], at: 14, 2, by: items.count)
  }

  private mutating func increase(_ path: [String], at offset: Int, _ width: Int, by count: Int) {
    guard let box = boxes(path)?.last else { return }
    replace(
      at: box.lowerBound + offset, with: Self.big(integer(at: box.lowerBound + offset, width) + count, width))
  }
}
