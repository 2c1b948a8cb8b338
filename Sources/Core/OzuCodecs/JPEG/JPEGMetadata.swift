import OzuBase
import OzuImaging

/// Reads the blocks of a JPEG: EXIF data and XMP in APP1 segments, IPTC-IIM in the resources of Photoshop in APP13 segments,
/// the density of the JFIF segment.
///
/// The values of extended XMP, in further segments, are read; the packet that is copied is that of the first segment, which is
/// a complete document. Segments after the start of the first scan are not examined.
package enum JPEGMetadata {
  static let exifName: StaticString = "Exif\0"
  static let xmpName: StaticString = "http://ns.adobe.com/xap/1.0/\0"

  package static func read(_ bytes: Span<UInt8>, header: ImageHeader) -> ImageMetadata {
    var metadata = ImageMetadata()
    var resolution: ImageResolution?
    // Resources that do not fit into one segment continue in the next.
    var resources: [UInt8] = []
    var further = XMPExtension()
    _ = JPEGMarker.readHead(of: bytes) { marker, segment, place in
      switch marker {
      case 0xE0 where segment.hasBytes("JFIF\0", at: 0):
        resolution = density(segment) ?? resolution
      case 0xE1 where segment.hasBytes(exifName, at: 0): metadata.add(exif: segment)
      case 0xE1 where segment.hasBytes(xmpName, at: 0):
        metadata.add(xmp: segment.extracting(xmpName.utf8CodeUnitCount..<segment.count))
      case 0xE1 where segment.hasBytes(XMPExtension.segmentName, at: 0):
        further.add(place..<place + segment.count, in: bytes)
      case 0xED where segment.hasBytes(PhotoshopResources.segmentName, at: 0):
        let start = PhotoshopResources.segmentName.utf8CodeUnitCount
        guard resources.count + segment.count <= ImageMetadata.largestBlock else { break }
        resources += segment.copy(from: start, byteCount: segment.count - start)
      default: break
      }
      return true
    }
    // The resolution of JFIF is preferred, as in the header.
    metadata.resolution = resolution ?? metadata.resolution
    let iptc = PhotoshopResources(ContiguousArray(resources).span)
    metadata.add(iptc: iptc.iptc)
    let extendedXMP = further.packet(of: metadata.xmp, in: bytes)
    if extendedXMP == nil, !further.isEmpty {
      metadata.notes.append(
        "extended XMP is left out: it is not whole, not that of the packet, or larger than \(ImageMetadata.largestBlock) bytes"
      )
    }
    metadata.complete(with: header, iptcDigest: iptc.digest, extendedXMP: extendedXMP)
    return metadata
  }

  /// The resolution of the JFIF segment (ITU-T T.871 §10.1).
  static func density(_ segment: Span<UInt8>) -> ImageResolution? {
    let units: [UInt8: Double] = [1: 1, 2: 2.54]
    guard let unit = segment.byte(at: 7).flatMap({ units[$0] }),
      let horizontal = segment.bigEndian(at: 8, bytes: 2), let vertical = segment.bigEndian(at: 10, bytes: 2),
      horizontal > 0, vertical > 0
    else { return nil }
    return ImageResolution(horizontal: Double(horizontal) * unit, vertical: Double(vertical) * unit)
  }
}

/// Extended XMP of a JPEG: a second packet, which did not fit into the segment of the first and is cut into pieces (XMP
/// Specification, part 3, §1.1.3.1).
///
/// A segment has the digest of the packet as 32 hexadecimal digits, the length of the packet, the place of the piece, and
/// the piece. The first packet names the digest; pieces of other packets are left over from earlier versions of the file.
struct XMPExtension {
  static let segmentName: StaticString = "http://ns.adobe.com/xmp/extension/\0"
  private static let digestByteCount = 32
  /// The pieces of a packet of the greatest size, if each segment is a quarter full.
  private static let mostPieces = 256

  private struct Piece {
    let segment: Range<Int>
    let byteCount: Int
    let offset: Int
  }

  private var pieces: [Piece] = []
  private(set) var isEmpty = true

  /// Notes a segment.
  ///
  /// - Parameter segment: the content of the segment, in the bytes of the file.
  mutating func add(_ segment: Range<Int>, in bytes: Span<UInt8>) {
    isEmpty = false
    let start = segment.lowerBound + Self.segmentName.utf8CodeUnitCount + Self.digestByteCount
    guard pieces.count < Self.mostPieces, start + 8 < segment.upperBound,
      let byteCount = bytes.bigEndian(at: start, bytes: 4),
      let offset = bytes.bigEndian(at: start + 4, bytes: 4)
    else { return }
    pieces.append(Piece(segment: segment, byteCount: byteCount, offset: offset))
  }

  /// The packet that the first one names.
  ///
  /// - Returns: `nil` if there is none, if pieces are missing, or if it is larger than a block may be.
  func packet(of first: Data?, in bytes: Span<UInt8>) -> Data? {
    guard let first, !pieces.isEmpty,
      let digest = XMPProperties([first]).text("xmpNote:HasExtendedXMP").map({ Array($0.utf8) }),
      digest.count == Self.digestByteCount
    else { return nil }
    let nameByteCount = Self.segmentName.utf8CodeUnitCount
    let own = pieces.filter {
      bytes.copy(from: $0.segment.lowerBound + nameByteCount, byteCount: digest.count) == digest
    }
    guard let whole = own.first?.byteCount, whole <= ImageMetadata.largestBlock else { return nil }
    var packet = Data()
    for piece in own.sorted(by: { $0.offset < $1.offset }) where piece.byteCount == whole {
      // A piece that occurs twice begins before the end of what is there.
      guard piece.offset == packet.count else { continue }
      let start = piece.segment.lowerBound + nameByteCount + Self.digestByteCount + 8
      packet += bytes.copy(
        from: start, byteCount: min(piece.segment.upperBound - start, whole - packet.count))
    }
    return packet.count == whole ? packet : nil
  }
}
