import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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

  /// The packet with one more description.
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
