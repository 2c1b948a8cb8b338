import OzuBase
import OzuImaging

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
