import OzuBase
import OzuImaging

/// Joins a picture and its gain map in one file: two JPEGs, one after the other. The first has an index of both
/// (CIPA DC-007). The map is described by ISO 21496-1, and by XMP for readers of Ultra HDR 1.
package enum JPEGGainMapFile {
  /// The file of a map, with its descriptions.
  static func described(_ map: Data, by numbers: GainMap) -> Data {
    let xmp = JPEGSegments.bytes(JPEGMetadata.xmpName) + Array(GainMapXMP.numbers(numbers).utf8)
    return insert(
      JPEGMarker.segment(0xE1, xmp)
        + JPEGMarker.segment(0xE2, JPEGSegments.bytes(JPEGGainMap.isoName) + block(numbers)), into: map)
  }

  /// The file of a picture and a map.
  ///
  /// - Parameter picture: a file whose XMP announces the map.
  package static func joined(_ picture: Data, _ map: Data) -> Data {
    // The picture contains only the version of the standard; the description is in the map's file.
    let announcement = JPEGMarker.segment(0xE2, JPEGSegments.bytes(JPEGGainMap.isoName) + [0, 0, 0, 0])
    let head = end(ofApplicationSegments: picture) + announcement.count
    let indexByteCount = index(pictureByteCount: 0, mapByteCount: 0, mapOffset: 0).count
    let byteCount = picture.count + announcement.count + indexByteCount
    // Offsets are counted from the byte-order mark, which follows the marker, the length and the name.
    let index = index(
      pictureByteCount: byteCount, mapByteCount: map.count, mapOffset: byteCount - (head + 8))
    return insert(announcement + index, into: picture) + map
  }

  /// The bytes that `joined` adds to the two files, at most.
  static let overhead = 256

  // MARK: Blocks

  /// The binary form of ISO 21496-1 Annex C: versions, flags, then fractions of 32 bits.
  private static func block(_ numbers: GainMap) -> [UInt8] {
    // Exact for stops and offsets in 2 to the power of -20, and large enough for gammas of 100.
    let denominator = 1 << 20
    func fraction(_ value: Double) -> [UInt8] {
      let numerator = Int32(clamping: value * Double(denominator), rounded: .toNearestOrAwayFromZero)
      return big(Int(UInt32(bitPattern: numerator)), 4) + big(denominator, 4)
    }
    let flags = (numbers.channels.count > 1 ? 0x80 : 0) | (numbers.isInColorsOfPicture ? 0x40 : 0)
    var block: [UInt8] = [0, 0, 0, 0, UInt8(flags)]
    block += fraction(numbers.baseHeadroom) + fraction(numbers.alternateHeadroom)
    for channel in numbers.channels {
      block += fraction(channel.minimum) + fraction(channel.maximum) + fraction(channel.gamma)
      block += fraction(channel.baseOffset) + fraction(channel.alternateOffset)
    }
    return block
  }

  /// The segment of the index: a directory of three entries (version, number of pictures, list), and the list.
  private static func index(pictureByteCount: Int, mapByteCount: Int, mapOffset: Int) -> [UInt8] {
    let listOffset = 8 + 2 + 3 * 12 + 4
    var block = Array("MPF\0MM".utf8) + [0, 42] + big(8, 4) + big(3, 2)
    block += big(0xB000, 2) + big(7, 2) + big(4, 4) + Array("0100".utf8)
    block += big(0xB001, 2) + big(4, 2) + big(1, 4) + big(2, 4)
    block += big(0xB002, 2) + big(7, 2) + big(32, 4) + big(listOffset, 4)
    // No further directory.
    block += big(0, 4)
    // The first picture is the one that is shown. It begins where the file begins.
    block += big(0x030000, 4) + big(pictureByteCount, 4) + big(0, 4) + big(0, 4)
    block += big(0, 4) + big(mapByteCount, 4) + big(mapOffset, 4) + big(0, 4)
    return JPEGMarker.segment(0xE2, block)
  }

  // MARK: Segments

  /// Inserts segments after the application segments at the beginning of a file.
  private static func insert(_ segments: [UInt8], into file: Data) -> Data {
    JPEGSegments.inserting(segments, at: end(ofApplicationSegments: file), into: file)
  }

  private static func end(ofApplicationSegments file: Data) -> Int {
    let bytes = file.span
    var position = 2
    while bytes.byte(at: position) == 0xFF, let marker = bytes.byte(at: position + 1), 0xE0...0xEF ~= marker,
      let length = bytes.bigEndian(at: position + 2, bytes: 2), position + 2 + length <= bytes.count
    {
      position += 2 + length
    }
    return position
  }

  private static func big(_ value: Int, _ count: Int) -> [UInt8] { value.bigEndianBytes(count) }
}

extension EncodedMetadata {
  /// Removes XMP that announces a gain map, for a file without one.
  ///
  /// - Returns: whether there was such XMP.
  package mutating func removeAnnouncementOfGainMap() -> Bool {
    guard let packet = xmp, JPEGGainMap.isAnnounced(in: packet.span) else { return false }
    xmp = nil
    return true
  }
}

/// The XMP of gain maps: Android's "Ultra HDR image format" 1.1, whose namespaces are Adobe's `hdrgm` and Google's container.
enum GainMapXMP {
  private static let gains = "http://ns.adobe.com/hdr-gain-map/1.0/"
  private static let container = "http://ns.google.com/photos/1.0/container/"
  /// Room for the largest packet in a segment.
  private static let largestPacket = 65_000

  // MARK: Of the map

  /// The packet of the map: its numbers.
  static func numbers(_ map: GainMap) -> String {
    let lists: [(String, KeyPath<GainMap.Channel, Double>)] = [
      ("GainMapMin", \.minimum), ("GainMapMax", \.maximum), ("Gamma", \.gamma), ("OffsetSDR", \.baseOffset),
      ("OffsetHDR", \.alternateOffset),
    ]
    var attributes = "hdrgm:Version=\"1.0\""
    var elements = ""
    for (name, path) in lists {
      let values = map.channels.map { "\($0[keyPath: path])" }
      if values.count == 1 {
        attributes += " hdrgm:\(name)=\"\(values[0])\""
      } else {
        let items = values.map { "<rdf:li>\($0)</rdf:li>" }.joined()
        elements += "<hdrgm:\(name)><rdf:Seq>\(items)</rdf:Seq></hdrgm:\(name)>"
      }
    }
    attributes +=
      " hdrgm:HDRCapacityMin=\"\(map.baseHeadroom)\" hdrgm:HDRCapacityMax=\"\(map.alternateHeadroom)\""
    attributes += " hdrgm:BaseRenditionIsHDR=\"False\""
    return packet(
      "<rdf:Description rdf:about=\"\" xmlns:hdrgm=\"\(gains)\" \(attributes)>\(elements)</rdf:Description>")
  }

  // MARK: Of the picture

  /// The packet of the picture: the source's packet, with the place of the map added.
  ///
  /// - Parameters:
  ///   - byteCount: the bytes of the map, which follows the picture.
  ///   - packet: the packet of the source; `nil` if it has none.
  /// - Returns: the packet, and whether it contains everything of the source's packet.
  static func announcement(ofMap byteCount: Int, in packet: Data?) -> (packet: Data, isKept: Bool) {
    let item = { (content: String) in
      "<rdf:li rdf:parseType=\"Resource\"><Container:Item \(content)/></rdf:li>"
    }
    let description =
      "<rdf:Description rdf:about=\"\" xmlns:hdrgm=\"\(gains)\" xmlns:Container=\"\(container)\" "
      + "xmlns:Item=\"\(container)item/\" hdrgm:Version=\"1.0\"><Container:Directory><rdf:Seq>"
      + item("Item:Semantic=\"Primary\" Item:Mime=\"image/jpeg\"")
      + item("Item:Semantic=\"GainMap\" Item:Mime=\"image/jpeg\" Item:Length=\"\(byteCount)\"")
      + "</rdf:Seq></Container:Directory></rdf:Description>"
    let own = Data(self.packet(description).utf8)
    guard let packet else { return (own, true) }
    let text = String(decoding: packet, as: UTF8.self)
    let isAnnounced = text.contains(gains) || text.contains(container)
    let merged = isAnnounced ? updated(text, byteCount) : extended(text, by: description)
    guard let merged, merged.utf8.count <= largestPacket else { return (own, false) }
    return (Data(merged.utf8), true)
  }

  /// The packet with the new length of the map, if it names only the picture and the map.
  private static func updated(_ text: String, _ byteCount: Int) -> String? {
    let items = text.split("Item:Semantic", atMost: 4)
    guard items.count == 3, text.contains("hdrgm:Version=\"") else { return nil }
    let mark = "Item:Semantic=\"GainMap\""
    let parts = text.split(mark, atMost: 2)
    guard parts.count == 2, let start = parts[0].lastIndex(of: "<"), let end = parts[1].firstIndex(of: ">")
    else {
      return nil
    }
    let element = "\(parts[0][start...])\(mark)\(parts[1][...end])"
    let sides = element.split("Item:Length=\"", atMost: 3)
    guard sides.count == 2, let quote = sides[1].firstIndex(of: "\"") else { return nil }
    let new = "\(sides[0])Item:Length=\"\(byteCount)\(sides[1][quote...])"
    return "\(parts[0][..<start])\(new)\(parts[1][parts[1].index(after: end)...])"
  }

  private static func extended(_ text: String, by description: String) -> String? {
    let end = "</rdf:RDF>"
    let parts = text.split(end, atMost: 3)
    return parts.count == 2 ? "\(parts[0])\(description)\(end)\(parts[1])" : nil
  }

  private static func packet(_ description: String) -> String {
    "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
      + description + "</rdf:RDF></x:xmpmeta>"
  }
}

extension String {
  /// The parts around a text, up to a number of parts.
  fileprivate func split(_ separator: String, atMost count: Int) -> [Substring] {
    split(separator: separator, maxSplits: count - 1, omittingEmptySubsequences: false)
  }
}
