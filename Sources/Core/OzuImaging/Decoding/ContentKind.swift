import OzuBase

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
    guard self == .unknown, data.count > Self.prefixByteCount else { return }
    let rest = [UInt8](data.dropFirst(Self.prefixByteCount).prefix(16))
    if Self(prefix: rest) == .image(ImageFormat.pict) { self = .image(ImageFormat.pict) }
  }

  init(prefix bytes: [UInt8]) {
    guard !bytes.isEmpty else {
      self = .empty
      return
    }
    if let format = ImageFormat.table.first(where: { $0.signatures.contains { $0.matches(bytes) } }) {
      self = .image(format.type)
    } else if let other = Self.others.first(where: { $0.signature.matches(bytes) }) {
      self = .other(other.words)
    } else {
      self = Self.text(bytes)
    }
  }

  /// Files that are no pictures, in words.
  private static let others: [(words: String, signature: ContentSignature)] = [
    ("a camera RAW file of Canon (CRW)", .text("HEAPCCDR", at: 6)),
    ("a camera RAW file of Minolta (MRW)", .text("\0MRM")),
    ("a camera RAW file of Sigma (X3F)", .text("FOVb")),
    ("a PDF document", .text("%PDF-")),
    ("a ZIP archive", .text("PK\u{3}\u{4}")),
    (gzip, .bytes(0x1F, 0x8B)),
    ("a 7-Zip archive", .bytes(0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C)),
    ("a RAR archive", .text("Rar!\u{1A}\u{7}")),
    ("a rich text document (RTF)", .text("{\\rtf")),
    ("a WebM or Matroska video", .bytes(0x1A, 0x45, 0xDF, 0xA3)),
    ("an AVI video", .text("RIFF").and(.text("AVI ", at: 8))),
    ("a QuickTime video", .text("ftypqt  ", at: 4)),
    // Of before there were brands.
    ("a QuickTime video", .text("moov", at: 4)),
    ("a QuickTime video", .text("mdat", at: 4)),
    ("a QuickTime video", .text("wide", at: 4)),
    ("an MPEG-4 video", .baseMedia),
    ("an MPEG video", .bytes(0, 0, 1, 0xBA)),
    ("an MPEG video", .bytes(0, 0, 1, 0xB3)),
    ("a Flash video", .text("FLV\u{1}")),
    ("an Ogg file", .text("OggS")),
    ("a WAVE sound", .text("RIFF").and(.text("WAVE", at: 8))),
    ("an MP3 sound", .text("ID3")),
  ]

  /// Recognises texts that servers often send instead of an image.
  private static func text(_ bytes: [UInt8]) -> ContentKind {
    var content = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(3) : bytes[...]
    // Some writers fill a document up with zeros.
    if content.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") {
      while content.last == 0 { content.removeLast() }
    }
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
