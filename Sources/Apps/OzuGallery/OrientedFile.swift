import Foundation
import Ozu
import OzuBase
import OzuCodecs

/// A file whose picture is turned by its orientation: no pixel is coded again, and all other bytes stay as they are. So
/// turning four times, or turning back, gives the same picture, and metadata, thumbnails, gain maps and videos of phones are
/// kept.
///
/// JPEG, PNG, WebP and TIFF state the orientation in EXIF data (CIPA DC-008 §4.6.5, tag 0x0112) or in their first directory. If
/// there is no such entry, one is added.
package enum OrientedFile {
  /// Why a picture cannot be turned in its file.
  package enum Failure: Error, Equatable {
    /// The format has no place for it that other programs read.
    case format(ImageType?)
    /// The parts of the file cannot be told from each other, or its metadata have no room.
    case damaged
  }

  /// The file with its picture turned clockwise by quarters.
  ///
  /// - Complexity: O(bytes of the file).
  package static func turned(_ file: Data, by quarters: Int) throws(Failure) -> Data {
    let type: ImageType? = if case .image(let found) = ContentKind(sniffing: file) { found } else { nil }
    let bytes = [UInt8](file)
    switch type {
    case .jpeg: return Data(try jpeg(bytes, quarters))
    case .png: return Data(try png(bytes, quarters))
    case .webp: return Data(try webP(bytes, quarters))
    case .tiff: return Data(try directory(bytes, at: 0, quarters))
    default: throw .format(type)
    }
  }

  /// The orientation after a clockwise turn by quarters.
  static func orientation(_ old: Orientation, turnedBy quarters: Int) -> Orientation {
    let cycle: [Orientation] =
      switch old {
      case .up, .right, .down, .left: [.up, .right, .down, .left]
      default: [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored]
      }
    let index = (cycle.firstIndex(of: old) ?? 0) + quarters
    return cycle[((index % 4) + 4) % 4]
  }

  // MARK: The directory

  private static let tag = 0x0112

  /// Bytes with the structure of a TIFF file, with another orientation: in its entry, or in a copy of the first directory at
  /// their end that has one.
  private static func directory(_ bytes: [UInt8], at start: Int, _ quarters: Int) throws(Failure) -> [UInt8] {
    let span = bytes.span
    guard let layout = TIFFLayout(span, at: start), [42, TIFFLayout.bigVersion].contains(layout.version),
      let count = layout.fieldCount(of: layout.first, in: span),
      let range = layout.range(of: layout.first, fieldCount: count, in: span)
    else { throw .damaged }
    func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
      layout.isLittleEndian ? value.littleEndianBytes(byteCount) : value.bigEndianBytes(byteCount)
    }
    var result = bytes
    if let field = layout.field(withTag: tag, of: layout.first, in: span) {
      guard field.type == 3, field.count == 1, field.values.count == 2 else { throw .damaged }
      let old = layout.number(span, at: field.position, byteCount: 2).flatMap(Orientation.init(rawValue:))
      let new = orientation(old ?? .up, turnedBy: quarters)
      result.replaceSubrange(field.values, with: number(new.rawValue, 2))
      return result
    }
    // The entries are sorted by their tags.
    let (width, inlineWidth) = (layout.fieldWidth, layout.inlineWidth)
    let entries = range.lowerBound + layout.headWidth..<range.upperBound - inlineWidth
    let index =
      (0..<count).first {
        layout.number(span, at: entries.lowerBound + width * $0, byteCount: 2).map { $0 > tag } ?? false
      } ?? count
    let split = entries.lowerBound + width * index
    let new = orientation(.up, turnedBy: quarters).rawValue
    let value = number(new, 2) + [UInt8](repeating: 0, count: inlineWidth - 2)
    let entry = number(tag, 2) + number(3, 2) + number(1, inlineWidth) + value
    // A directory begins at an even offset, in BigTIFF at a multiple of eight.
    while (result.count - start) % layout.headWidth != 0 { result.append(0) }
    let offset = result.count - start
    guard count < 0xFFFF, offset <= 0xFFFF_FFFF else { throw .damaged }
    result += number(count + 1, layout.headWidth) + bytes[entries.lowerBound..<split] + entry
    result += bytes[split..<range.upperBound]
    result.replaceSubrange(start + inlineWidth..<start + 2 * inlineWidth, with: number(offset, inlineWidth))
    return result
  }

  /// EXIF data that state nothing but an orientation.
  private static func block(_ quarters: Int) -> [UInt8] {
    let value = UInt8(orientation(.up, turnedBy: quarters).rawValue)
    let header: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8]
    return header + [0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, value, 0, 0, 0, 0, 0, 0]
  }

  /// EXIF data with another orientation. Some writers put a name before them.
  private static func exif(_ content: [UInt8], _ quarters: Int) throws(Failure) -> [UInt8] {
    try directory(content, at: content.starts(with: name) ? name.count : 0, quarters)
  }

  private static let name = Array("Exif\0\0".utf8)

  // MARK: Formats

  private static func jpeg(_ bytes: [UInt8], _ quarters: Int) throws(Failure) -> [UInt8] {
    let span = bytes.span
    /// The place for a new segment: behind that of JFIF, which is the first where there is one.
    var place = 2
    var position = 2
    while true {
      guard let marker = span.bigEndian(at: position, bytes: 2) else { throw .damaged }
      // Bytes may fill the room before a marker.
      if marker == 0xFFFF {
        position += 1
        continue
      }
      // Metadata stand before the first scan.
      if marker == 0xFFDA { break }
      guard marker >= 0xFFC0, marker != 0xFFD9, let length = span.bigEndian(at: position + 2, bytes: 2),
        length >= 2, position + 2 + length <= bytes.count
      else { throw .damaged }
      let end = position + 2 + length
      let content = Array(bytes[position + 4..<end])
      if marker == 0xFFE0, position == 2 { place = end }
      if marker == 0xFFE1, content.starts(with: name) {
        let new = try segment(exif(content, quarters))
        return bytes[..<position] + new + bytes[end...]
      }
      position = end
    }
    let new = try segment(name + block(quarters))
    return bytes[..<place] + new + bytes[place...]
  }

  private static func segment(_ content: [UInt8]) throws(Failure) -> [UInt8] {
    let length = content.count + 2
    guard length <= 0xFFFF else { throw .damaged }
    return [0xFF, 0xE1, UInt8(length >> 8), UInt8(truncatingIfNeeded: length)] + content
  }

  private static func png(_ bytes: [UInt8], _ quarters: Int) throws(Failure) -> [UInt8] {
    let span = bytes.span
    var position = 8
    var firstData: Int?
    while let length = span.bigEndian(at: position, bytes: 4), length <= bytes.count - position - 12 {
      let end = position + 12 + length
      if span.hasBytes("eXIf", at: position + 4) {
        let content = try exif(Array(bytes[position + 8..<end - 4]), quarters)
        return bytes[..<position] + PNGChunk.bytes("eXIf", content) + bytes[end...]
      }
      if span.hasBytes("IDAT", at: position + 4), firstData == nil { firstData = position }
      if span.hasBytes("IEND", at: position + 4) { break }
      position = end
    }
    guard let firstData else { throw .damaged }
    return bytes[..<firstData] + PNGChunk.bytes("eXIf", block(quarters)) + bytes[firstData...]
  }

  private static func webP(_ bytes: [UInt8], _ quarters: Int) throws(Failure) -> [UInt8] {
    let span = bytes.span
    // Only files of the extended form have metadata, and a flag says that they do.
    guard span.hasBytes("VP8X", at: 12), let flags = span.byte(at: 20) else { throw .format(.webp) }
    var position = 12
    var result = bytes
    search: do {
      while let length = span.littleEndian(at: position + 4, bytes: 4), length <= bytes.count - position - 8 {
        let end = min(position + 8 + length + length % 2, bytes.count)
        if span.hasBytes("EXIF", at: position) {
          let content = try exif(Array(bytes[position + 8..<position + 8 + length]), quarters)
          result = bytes[..<position] + part("EXIF", content) + bytes[end...]
          break search
        }
        position = end
      }
      result += part("EXIF", block(quarters))
      result[20] = flags | 8
    }
    guard result.count - 8 <= 0xFFFF_FFFE else { throw .damaged }
    result.replaceSubrange(4..<8, with: (result.count - 8).littleEndianBytes(4))
    return result
  }

  private static func part(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let padding: [UInt8] = content.count % 2 == 1 ? [0] : []
    return Array(type.utf8) + content.count.littleEndianBytes(4) + content + padding
  }
}
