#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Changes an XMP packet so that it describes the written picture (ISO 16684-1), without parsing its XML.
enum XMPPacket {
  /// Why a packet is left out.
  enum Defect: Error, CustomStringConvertible {
    case isNotUTF8, hasThumbnail

    var description: String {
      switch self {
      case .isNotUTF8: "it is not UTF-8"
      case .hasThumbnail: "its thumbnail shows the picture before it was changed"
      }
    }
  }

  /// The packet with every `tiff:Orientation` set to 1, as an attribute or as an element. Its length does not
  /// change.
  static func upright(_ packet: Data) throws(Defect) -> Data {
    var bytes = [UInt8](packet)
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .isNotUTF8 }
    // The fields of a thumbnail (xmpGImg, part 1 of the standard, §8.2.2.4) have this namespace, whatever its prefix.
    guard find(Array("http://ns.adobe.com/xap/1.0/g/img/".utf8), in: bytes, from: 0) == nil else {
      throw .hasThumbnail
    }
    let name = Array(":Orientation".utf8)
    var position = 0
    while let start = find(name, in: bytes, from: position) {
      position = start + name.count
      if let digit = value(in: bytes, after: position) { bytes[digit] = UInt8(ascii: "1") }
    }
    return Data(bytes)
  }

  /// The place of the digit in `="6"` or `>6<`.
  private static func value(in bytes: [UInt8], after start: Int) -> Int? {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }
    func next(_ position: Int) -> Int? {
      let found = bytes[min(position, bytes.count)...].firstIndex { !isSpace($0) }
      return found
    }
    guard var position = next(start) else { return nil }
    if bytes[position] == UInt8(ascii: "=") {
      guard let quote = next(position + 1), [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[quote])
      else { return nil }
      position = quote
    } else if bytes[position] != UInt8(ascii: ">") {
      return nil
    }
    guard let digit = next(position + 1), UInt8(ascii: "1")...UInt8(ascii: "8") ~= bytes[digit] else {
      return nil
    }
    return digit
  }

  private static func find(_ wanted: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    guard let first = wanted.first, bytes.count >= wanted.count else { return nil }
    let last = bytes.count - wanted.count
    var position = start
    while position <= last {
      if bytes[position] == first, bytes[position..<position + wanted.count].elementsEqual(wanted) {
        return position
      }
      position += 1
    }
    return nil
  }
}
