import Foundation

/// Writes EXIF data like a camera: with a maker note, a place, a thumbnail, and padding without an entry.
struct EXIFFile {
  var isBigEndian = false
  var orientation = 6
  var makerNote = Data("the maker's own words, 40 bytes of them ..".utf8)
  var hasPlace = true
  var hasThumbnail = true

  /// Bytes that identify the place, the thumbnail and the padding: degrees, minutes and seconds of latitude.
  static let latitude = [(52, 1), (31, 1), (12_345_678, 1_000_000)]
  static let thumbnail = Data([0xFF, 0xD8]) + Data("a small picture".utf8) + Data([0xFF, 0xD9])
  static let padding = Data("padding nobody names".utf8)

  private typealias Entry = (tag: Int, type: Int, count: Int, bytes: Data)

  var data: Data {
    var file = Data((isBigEndian ? "MM" : "II").utf8) + integer(42, 2) + integer(8, 4)
    // Directories are written when their offsets are known: each has space after those before it.
    let details = 8 + 2 + 12 * 8 + 4 + 64
    let place = details + 2 + 12 * 6 + 4 + 64 + makerNote.count
    let second = place + 2 + 12 * 3 + 4 + 64
    var first: [Entry] = [
      (0x010F, 2, 6, Data("Maker\0".utf8)), (0x0110, 2, 3, Data("M1\0".utf8)),
      (0x0112, 3, 1, integer(orientation, 2)),
      (0x011A, 5, 1, integer(300, 4) + integer(1, 4)), (0x011B, 5, 1, integer(150, 4) + integer(1, 4)),
      (0x0128, 3, 1, integer(2, 2)), (0x8769, 4, 1, integer(details, 4)),
    ]
    if hasPlace { first.append((0x8825, 4, 1, integer(place, 4))) }
    write(first, at: 8, next: hasThumbnail ? second : 0, to: &file)
    write(
      [
        (0x9003, 2, 20, Data("2024:05:06 07:08:09\0".utf8)), (0x927C, 7, makerNote.count, makerNote),
        (0xA001, 3, 1, integer(2, 2)), (0xA002, 4, 1, integer(4000, 4)), (0xA003, 4, 1, integer(3000, 4)),
      ], at: details, next: 0, to: &file)
    if hasPlace {
      let degrees = Self.latitude.reduce(Data()) { $0 + integer($1.0, 4) + integer($1.1, 4) }
      write(
        [(0x0000, 1, 4, Data([2, 3, 0, 0])), (0x0001, 2, 2, Data("N\0".utf8)), (0x0002, 5, 3, degrees)],
        at: place, next: 0, to: &file)
    }
    if hasThumbnail {
      let start = second + 2 + 12 * 3 + 4
      write(
        [
          (0x0103, 3, 1, integer(6, 2)), (0x0201, 4, 1, integer(start, 4)),
          (0x0202, 4, 1, integer(Self.thumbnail.count, 4)),
        ], at: second, next: 0, to: &file)
      file += Self.thumbnail
    }
    return file + Self.padding
  }

  /// The offset of the maker note.
  var makerNoteOffset: Int? { data.range(of: makerNote)?.lowerBound }

  /// The bytes of the latitude.
  var place: Data { Self.latitude.reduce(Data()) { $0 + integer($1.0, 4) + integer($1.1, 4) } }

  func integer(_ value: Int, _ byteCount: Int) -> Data {
    let little = (0..<byteCount).map { UInt8(value >> (8 * $0) & 255) }
    return Data(isBigEndian ? little.reversed() : little)
  }

  /// Writes a directory, with values of more than four bytes after it.
  private func write(_ entries: [Entry], at offset: Int, next: Int, to file: inout Data) {
    file += Data(count: max(0, offset - file.count))
    var table = integer(entries.count, 2)
    var values = Data()
    for entry in entries {
      table += integer(entry.tag, 2) + integer(entry.type, 2) + integer(entry.count, 4)
      if entry.bytes.count <= 4 {
        table += entry.bytes + Data(count: 4 - entry.bytes.count)
      } else {
        table += integer(offset + 2 + 12 * entries.count + 4 + values.count, 4)
        values += entry.bytes
      }
    }
    file += table + integer(next, 4) + values
  }
}

/// An XMP packet with an orientation, as an attribute and as an element.
let sideways = Data(
  """
  <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
  xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
  xmlns:tiff="http://ns.adobe.com/tiff/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" tiff:Orientation="6" \
  dc:source="Berlin"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
  """.utf8)
