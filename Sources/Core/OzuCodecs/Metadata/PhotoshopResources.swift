import OzuBase
import OzuImaging

/// The image resources of Photoshop, of which one has the data sets of IPTC-IIM and another their digest (Adobe Photoshop
/// File Formats Specification, Image Resources Section).
struct PhotoshopResources {
  /// The name at the beginning of a segment of a JPEG with resources.
  static let segmentName: StaticString = "Photoshop 3.0\0"
  private static let dataSets = 0x0404
  private static let digestOfDataSets = 0x0425
  /// More resources than programs write.
  private static let mostResources = 1000
  /// The marks of resources: Photoshop's, ImageReady's, and those of other programs.
  private static let marks: Set = ["8BIM", "MeSa", "PHUT", "AgHg", "DCSR"]
  /// The marks of programs that number their resources as Photoshop does.
  private static let numberedMarks: Set = ["8BIM", "PHUT"]

  /// The numbers of the resources, and where their contents are.
  private(set) var contents: [(number: Int, range: Range<Int>)] = []
  private(set) var iptc: Data?
  /// The MD5 digest of the data sets when XMP was written last.
  private(set) var digest: [UInt8]?

  /// Reads resources up to the first that is damaged.
  init(_ bytes: Span<UInt8>) {
    var position = 0
    for _ in 0..<Self.mostResources {
      // Four letters, an identifier, and a name that takes an even number of bytes with its length.
      let mark = String(decoding: bytes.copy(from: position, byteCount: 4), as: UTF8.self)
      guard Self.marks.contains(mark), let number = bytes.bigEndian(at: position + 4, bytes: 2),
        let nameLength = bytes.byte(at: position + 6),
        case let start = position + 6 + (Int(nameLength) + 2) / 2 * 2 + 4,
        let byteCount = bytes.bigEndian(at: start - 4, bytes: 4), start + byteCount <= bytes.count
      else { return }
      position = start + byteCount + byteCount & 1
      guard Self.numberedMarks.contains(mark) else { continue }
      contents.append((number, start..<start + byteCount))
      if number == Self.dataSets, iptc == nil { iptc = Data(bytes.copy(from: start, byteCount: byteCount)) }
      if number == Self.digestOfDataSets, byteCount == 16 { digest = bytes.copy(from: start, byteCount: 16) }
    }
  }

  /// Resources with data sets alone.
  static func written(_ iptc: Data) -> Data {
    let head = Array("8BIM".utf8) + dataSets.bigEndianBytes(2) + [0, 0] + iptc.count.bigEndianBytes(4)
    return Data(head) + iptc + Data(count: iptc.count & 1)
  }
}
