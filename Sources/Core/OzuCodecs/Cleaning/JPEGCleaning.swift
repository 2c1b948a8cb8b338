import OzuBase
import OzuImaging

/// Cleans a JPEG: tables, frames and scans stay byte for byte, application segments go, except for the two that decoders
/// need (JFIF and Adobe) and those that were asked for.
///
/// In the place of a segment behind a scan, an empty comment stays. A scan that is too short is damaged if such a segment is
/// behind it, and cut off if the end of the picture is; and a restart marker behind it would go on with the scan.
enum JPEGCleaning {
  private static let jfif: StaticString = "JFIF\0"
  private static let adobe: StaticString = "Adobe"
  private static let profile: StaticString = "ICC_PROFILE\0"

  static func clean(_ file: Data, _ parts: inout CleanedParts) throws(ImageDecodingError) -> Data {
    let bytes = file.span
    var first = Data()
    var body = Data()
    var resources: [UInt8] = []
    var further = XMPExtension()
    var endOfScan: Int?
    var position = 2
    scanning: while true {
      guard let (marker, offset) = JPEGMarker.next(in: bytes, from: position) else {
        guard endOfScan != nil else { throw .truncated(.jpeg, stage: CleanedParts.stage) }
        parts.notes.append("the file has no end")
        break
      }
      position = offset + 2
      if marker == JPEGMarker.endOfImage {
        body += [0xFF, marker]
        if position < bytes.count { parts.dropEnd(bytes.extracting(position..<bytes.count)) }
        break
      }
      if JPEGMarker.standsAlone(marker) {
        // Decoders end the scan here.
        if endOfScan != nil { body += [0xFF, marker] }
        continue
      }
      // Decoders step over the length also where it does not count itself.
      guard let length = bytes.bigEndian(at: position, bytes: 2).map({ max($0, 2) }),
        position + length <= bytes.count
      else {
        guard endOfScan != nil else { throw .truncated(.jpeg, stage: CleanedParts.stage) }
        // Decoders see the end of the scan at a marker, and by its kind whether more of the picture should follow.
        body += [0xFF, marker]
        parts.notes.append("the file has no end")
        break
      }
      let end = position + length
      let content = bytes.extracting(position + 2..<end)
      switch marker {
      case 0xE0...0xEF where endOfScan != nil, 0xFE where endOfScan != nil:
        // Readers look for metadata before the first scan.
        if !content.isEmpty { parts.drop(marker == 0xFE ? "a comment" : "data of applications") }
        if offset == endOfScan { body += segment(0xFE, []) }
        position = end
      case 0xE0...0xEF, 0xFE:
        if content.hasBytes(XMPExtension.segmentName, at: 0) { further.add(position + 2..<end, in: bytes) }
        if let kept = segment(marker, content, &parts, &resources) {
          // JFIF is the first segment of a file that has it.
          if content.hasBytes(jfif, at: 0), marker == 0xE0 { first = kept } else { body += kept }
        }
        position = end
      case JPEGMarker.startOfScan:
        guard let next = Self.endOfScan(in: bytes, from: end) else {
          body += file[offset..<bytes.count]
          parts.notes.append("the file has no end")
          break scanning
        }
        body += file[offset..<next]
        (position, endOfScan) = (next, next)
      default:
        body += file[offset..<end]
        position = end
      }
    }
    parts.extendedXMP = further.packet(of: parts.xmp, in: bytes)
    return Data([0xFF, JPEGMarker.startOfImage]) + first + metadata(resources, &parts) + body
  }

  /// The offset of the marker that ends the data of a scan. Restart markers are part of the data, and so are codes that no
  /// marker has: in damaged data, decoders step over them to the next restart.
  private static func endOfScan(in bytes: Span<UInt8>, from start: Int) -> Int? {
    var position = start
    while let found = JPEGMarker.next(in: bytes, from: position) {
      guard found.marker < 0xC0 || 0xD0...0xD7 ~= found.marker else { return found.offset }
      position = found.offset + 2
    }
    return nil
  }

  /// The segment of an application to keep; `nil` for one that is left out or written again.
  private static func segment(
    _ marker: UInt8, _ content: Span<UInt8>, _ parts: inout CleanedParts, _ resources: inout [UInt8]
  ) -> Data? {
    func whole(_ byteCount: Int) -> Data { Self.segment(marker, content.copy(from: 0, byteCount: byteCount)) }
    switch marker {
    case 0xE0 where content.hasBytes(jfif, at: 0) && content.count >= 14:
      // Its last two bytes are the size of a thumbnail, which follows.
      if content.byte(at: 12) != 0, content.byte(at: 13) != 0 { parts.drop("the thumbnail") }
      return Self.segment(marker, content.copy(from: 0, byteCount: 12) + [0, 0])
    case 0xEE where content.hasBytes(adobe, at: 0): return whole(12)
    case 0xE2 where content.hasBytes(profile, at: 0):
      if parts.kept.contains(.colorProfile) { return whole(content.count) }
      parts.drop("the colour profile")
    case 0xE1 where content.hasBytes(JPEGMetadata.exifName, at: 0):
      if parts.exif == nil {
        let start = min(6, content.count)
        parts.exif = Data(content.copy(from: start, byteCount: content.count - start))
      } else {
        parts.drop("EXIF data")
      }
    case 0xE1 where content.hasBytes(JPEGMetadata.xmpName, at: 0):
      let start = JPEGMetadata.xmpName.utf8CodeUnitCount
      if parts.xmp == nil { parts.xmp = Data(content.copy(from: start, byteCount: content.count - start)) }
      parts.drop("XMP")
    case 0xE1 where content.hasBytes(XMPExtension.segmentName, at: 0): parts.drop("XMP")
    case 0xED where content.hasBytes(PhotoshopResources.segmentName, at: 0):
      let start = PhotoshopResources.segmentName.utf8CodeUnitCount
      if resources.count + content.count <= ImageMetadata.largestBlock {
        resources += content.copy(from: start, byteCount: content.count - start)
      }
    case 0xEB where content.hasBytes("JP", at: 0) && content.hasBytes("jumb", at: 12):
      // A box of JUMBF (ISO/IEC 19566-5), described as "c2pa" in its first segment.
      if content.hasBytes("c2pa", at: 24) {
        parts.drop(CleanedParts.credentials)
      } else if !parts.dropped.contains(CleanedParts.credentials) {
        parts.drop("data of applications")
      }
    case 0xE2 where content.hasBytes("MPF\0", at: 0): parts.drop("the index of further pictures")
    case 0xFE:
      if parts.kept.contains(.details) { return whole(content.count) }
      parts.drop("a comment")
    default: parts.drop("data of applications")
    }
    return nil
  }

  /// The segments of metadata that are written again.
  private static func metadata(_ resources: [UInt8], _ parts: inout CleanedParts) -> Data {
    var segments = Data()
    let photoshop = PhotoshopResources(ContiguousArray(resources).span)
    parts.iptc = photoshop.iptc
    if let exif = parts.keptEXIF() {
      let content = Array("Exif\0\0".utf8) + exif
      if content.count <= 65_533 { segments += segment(0xE1, content) } else { parts.drop("EXIF data") }
    }
    if !resources.isEmpty {
      guard parts.kept.contains(.details), let iptc = photoshop.iptc else {
        parts.drop(photoshop.iptc == nil ? "data of applications" : "IPTC-IIM")
        return segments
      }
      var rest = IPTCRecords.block(iptc, without: IPTCRecords.placeNumbers)
      if rest != iptc { parts.drop("the place") }
      if !parts.kept.contains(.copyright) {
        let nameless = IPTCRecords.block(rest, without: IPTCRecords.nameNumbers)
        if nameless != rest { parts.drop("the names") }
        rest = nameless
      }
      let content = JPEGSegments.bytes(PhotoshopResources.segmentName) + PhotoshopResources.written(rest)
      if content.count <= 65_533 { segments += segment(0xED, content) } else { parts.drop("IPTC-IIM") }
    }
    return segments
  }

  private static func segment(_ marker: UInt8, _ content: [UInt8]) -> Data {
    Data(JPEGMarker.segment(marker, content))
  }
}
