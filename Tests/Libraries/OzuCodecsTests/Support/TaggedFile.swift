import Foundation

/// Writes EXIF data with any tags, also impossible ones.
struct TaggedFile {
  struct Entry {
    let tag: Int
    let type: Int
    var count: Int
    /// In big-endian order.
    let bytes: [UInt8]

    static func text(_ tag: Int, _ text: String) -> Entry { bytes(tag, 2, Array(text.utf8) + [0]) }

    static func bytes(_ tag: Int, _ type: Int, _ bytes: [UInt8]) -> Entry {
      Entry(tag: tag, type: type, count: bytes.count, bytes: bytes)
    }

    static func short(_ tag: Int, _ values: Int...) -> Entry {
      Entry(tag: tag, type: 3, count: values.count, bytes: values.flatMap { TaggedFile.big($0, 2) })
    }

    /// Numerators and denominators.
    static func fractions(_ tag: Int, _ values: [Int], isSigned: Bool = false) -> Entry {
      Entry(
        tag: tag, type: isSigned ? 10 : 5, count: values.count / 2,
        bytes: values.flatMap { TaggedFile.big($0, 4) })
    }
  }

  var picture: [Entry] = []
  var details: [Entry] = []
  var place: [Entry] = []
  /// The type of the offsets of the last two: 4 (LONG) or 13 (IFD).
  var offsetType = 4

  /// In big-endian order.
  var data: Data {
    var file = Array("MM".utf8) + Self.big(42, 2) + Self.big(8, 4)
    let pointers = [(0x8769, details), (0x8825, place)].filter { !$0.1.isEmpty }
    let count = picture.count + pointers.count
    var table = Self.big(count, 2)
    let end = 8 + 2 + 12 * count + 4
    var values: [UInt8] = []
    for entry in picture { table += Self.line(entry, end, &values) }
    for (tag, entries) in pointers {
      let offset = end + values.count
      var directory = Self.big(entries.count, 2)
      var rest: [UInt8] = []
      for entry in entries { directory += Self.line(entry, offset + 2 + 12 * entries.count + 4, &rest) }
      values += directory + [0, 0, 0, 0] + rest
      table += Self.big(tag, 2) + Self.big(offsetType, 2) + Self.big(1, 4) + Self.big(offset, 4)
    }
    file += table + [0, 0, 0, 0] + values
    return Data(file)
  }

  private static func line(_ entry: Entry, _ start: Int, _ values: inout [UInt8]) -> [UInt8] {
    var line = big(entry.tag, 2) + big(entry.type, 2) + big(entry.count, 4)
    if entry.bytes.count <= 4 {
      line += entry.bytes + [UInt8](repeating: 0, count: 4 - entry.bytes.count)
    } else {
      line += big(start + values.count, 4)
      values += entry.bytes
    }
    return line
  }

  static func big(_ value: Int, _ byteCount: Int) -> [UInt8] {
    (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A data set of IPTC-IIM.
  static func dataSet(_ number: Int, _ text: String) -> [UInt8] {
    [0x1C, 2, UInt8(number)] + big(text.utf8.count, 2) + Array(text.utf8)
  }

  /// An XMP packet with one description.
  static func xmp(_ content: String, attributes: String = "") -> Data {
    Data(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" \
      xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" \
      \(attributes)>\(content)</rdf:Description></rdf:RDF></x:xmpmeta>
      """.utf8)
  }
}
