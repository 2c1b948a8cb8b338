#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The kind of some bytes, recognised by their content alone: names and media types are not reliable.
///
/// A drawing (SVG) may have much before its first element, and may be in UTF-16 or compressed (SVGZ), so for a document
/// further bytes are read. The directories of a file that begins like a TIFF tell a camera RAW file from a TIFF.
public enum ContentKind: Hashable, Sendable {
  /// There are no bytes.
  case empty
  /// An image of this format.
  case image(ImageType)
  /// Something else, in words: `an HTML page`.
  case other(String)
  /// Not recognised.
  case unknown

  /// The number of bytes that are examined of all files but documents, which are examined up to their first element
  /// (`longestPrologueByteCount`).
  public static let prefixByteCount = 512

  /// Recognises some bytes.
  ///
  /// - Complexity: O(1) for all files but documents, and O(n) in the length of a document's prologue.
  public init(sniffing data: Data) {
    self = Self.recognise(data).kind
    if self == .image(.tiff), let type = ImageType(rawWithStructureOfTIFF: data) { self = .image(type) }
  }

  init(prefix bytes: [UInt8]) {
    guard !bytes.isEmpty else {
      self = .empty
      return
    }
    if let signature = Self.signatures.first(where: { $0.matches(bytes) }) {
      self = signature.kind
    } else if let brand = Self.imageBrand(bytes) {
      self = brand
    } else {
      self = Self.text(bytes)
    }
  }

  /// Bytes at an offset that identify a format.
  private struct Signature {
    let kind: ContentKind
    let parts: [(offset: Int, bytes: [UInt8])]

    init(_ kind: ContentKind, _ parts: (Int, [UInt8])...) {
      self.kind = kind
      self.parts = parts.map { (offset: $0.0, bytes: $0.1) }
    }

    init(_ kind: ContentKind, _ text: String, at offset: Int = 0) {
      self.init(kind, (offset, Array(text.utf8)))
    }

    func matches(_ data: [UInt8]) -> Bool {
      parts.allSatisfy { part in
        data.count >= part.offset + part.bytes.count && data[part.offset...].starts(with: part.bytes)
      }
    }
  }

  private static let signatures: [Signature] = [
    Signature(.image(.jpeg), (0, [0xFF, 0xD8, 0xFF])),
    Signature(.image(.png), (0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])),
    Signature(.image(.gif), "GIF87a"),
    Signature(.image(.gif), "GIF89a"),
    Signature(.image(.webp), (0, Array("RIFF".utf8)), (8, Array("WEBP".utf8))),
    Signature(.image(.jxl), (0, [0xFF, 0x0A])),
    Signature(.image(.jxl), (0, [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A])),
    Signature(.image(.cr2), (0, [0x49, 0x49, 0x2A, 0]), (8, Array("CR".utf8))),
    Signature(.image(.cr2), (0, [0x4D, 0x4D, 0, 0x2A]), (8, Array("CR".utf8))),
    Signature(.image(.orf), "IIRO"),
    Signature(.image(.orf), "IIRS"),
    Signature(.image(.orf), "MMOR"),
    Signature(.image(.rw2), "IIU\0"),
    Signature(.image(.raf), "FUJIFILMCCD-RAW "),
    Signature(.image(.tiff), (0, [0x49, 0x49, 0x2A, 0])),
    Signature(.image(.tiff), (0, [0x4D, 0x4D, 0, 0x2A])),
    Signature(.image(.tiff), (0, [0x49, 0x49, 0x2B, 0])),
    Signature(.image(.tiff), (0, [0x4D, 0x4D, 0, 0x2B])),
    // Many texts begin with "BM". A bitmap also has zeros in the reserved fields of the file header, or, if these
    // have a hot spot, a small number as the length of the next header.
    Signature(.image(.bmp), (0, [0x42, 0x4D]), (6, [0, 0, 0, 0])),
    Signature(.image(.bmp), (0, [0x42, 0x4D]), (15, [0, 0, 0])),
    Signature(.image(.ico), (0, [0, 0, 1, 0]), (5, [0])),
    Signature(.image(.ico), (0, [0, 0, 2, 0]), (5, [0])),
    Signature(.image(.ozuDelta), "OZUD\u{1}"),
    Signature(.other("a camera RAW file of Canon (CRW)"), "HEAPCCDR", at: 6),
    Signature(.other("a camera RAW file of Minolta (MRW)"), "\0MRM"),
    Signature(.other("a camera RAW file of Sigma (X3F)"), "FOVb"),
    Signature(.other("a PDF document"), "%PDF-"),
    Signature(.other("a ZIP archive"), "PK\u{3}\u{4}"),
    Signature(.other(gzip), (0, [0x1F, 0x8B])),
    Signature(.other("a WebM or Matroska video"), (0, [0x1A, 0x45, 0xDF, 0xA3])),
  ]

  /// The major and compatible brands of an ISO base media file (ISO/IEC 14496-12 §4.3).
  private static func imageBrand(_ bytes: [UInt8]) -> ContentKind? {
    guard bytes.count >= 12, bytes[4...].starts(with: "ftyp".utf8) else { return nil }
    let boxSize = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
    // A size of 0 means "up to the end of the file".
    let end = boxSize == 0 ? bytes.count : min(max(boxSize, 12), bytes.count)
    let offsets = [8] + Array(stride(from: 16, through: end - 4, by: 4))
    let brands = offsets.map { String(decoding: bytes[$0..<$0 + 4], as: UTF8.self) }
    if brands.first == "crx " { return .image(.cr3) }
    if brands.contains(where: ["avif", "avis"].contains) { return .image(.avif) }
    let heif = ["heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1", "mif2", "mif3"]
    if brands.contains(where: heif.contains) { return .image(.heic) }
    return .other("an MPEG-4 video")
  }

  /// Recognises texts that servers often send instead of an image.
  private static func text(_ bytes: [UInt8]) -> ContentKind {
    let content = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(3) : bytes[...]
    let isText = content.allSatisfy { $0 >= 0x20 || [0x09, 0x0A, 0x0C, 0x0D, 0x1B].contains($0) }
    guard isText else { return .unknown }
    let text = String(decoding: content.drop { $0 <= 0x20 }, as: UTF8.self).lowercased()
    if text.isEmpty { return .other(blank) }
    let beginsHTML = ["<!doctype html", "<html", "<head", "<body", "<title", "<script", "<meta"]
      .contains(where: text.hasPrefix)
    if beginsHTML { return .other("an HTML page") }
    // These bytes may end inside the prologue of a document; then `recognise` reads on.
    let hasPrologue = ["<?xml", "<!--", "<!doctype"].contains(where: text.hasPrefix)
    let kind = markup(bytes).kind
    if hasPrologue || kind == .image(.svg) { return kind }
    // HTML and XML may have any encoding that contains ASCII. Text without a tag must be UTF-8; otherwise the first
    // bytes of a broken binary file could count as text.
    guard isUTF8(content) else { return .unknown }
    if text.hasPrefix("{") || text.hasPrefix("[") { return .other("JSON") }
    return .other("text")
  }

  private static func isUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
    // The examined bytes may end inside a character.
    let cut = bytes.endIndex < prefixByteCount ? 0 : 3
    return (0...cut).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
  }
}
