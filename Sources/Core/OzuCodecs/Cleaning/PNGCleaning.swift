import OzuBase
import OzuImaging

/// Cleans a PNG: the chunks that make pixels, frames and colours stay byte for byte, texts and unknown chunks go.
enum PNGCleaning {
  /// Chunks that decide how the picture looks, beside the critical ones, whose names begin with a capital letter.
  private static let shown: Set = [
    "tRNS", "gAMA", "cHRM", "sRGB", "sBIT", "bKGD", "hIST", "pHYs", "sPLT", "cICP", "mDCV", "cLLI", "mDCv",
    "cLLi", "acTL", "fcTL", "fdAT",
  ]
  private static let texts: Set = ["tEXt", "zTXt", "iTXt"]
  private static let longestCompressedText = 1 << 20
  private static let names: [StaticString] = ["Copyright\0", "Author\0"]
  /// The keywords of texts that tell the place, or may.
  private static let ofPlace: [StaticString] = ["exif:GPS", "exif:MakerNote"]

  static func clean(_ file: Data, _ parts: inout CleanedParts) throws(ImageDecodingError) -> Data {
    let bytes = file.span
    var head = Data()
    var body = Data()
    var hasHeader = false
    var hasEnd = false
    var position = PNGChunk.firstOffset
    while !hasEnd, let chunk = PNGChunk(bytes, at: position), chunk.end <= bytes.count {
      let name = String(decoding: bytes.copy(from: position + 4, byteCount: 4), as: UTF8.self)
      let content = bytes.extracting(position + 8..<position + 8 + chunk.byteCount)
      let isCritical = name.utf8.first.map { $0 & 0x20 == 0 } ?? false
      if isCritical, !hasHeader {
        // Only Apple's CgBI is before the header.
        head += file[position..<chunk.end]
        hasHeader = name == "IHDR"
      } else if isCritical || keeps(name, content, &parts) {
        body += file[position..<chunk.end]
      }
      hasEnd = name == "IEND"
      position = chunk.end
    }
    guard hasHeader else { throw .corrupt(.png, stage: CleanedParts.stage, reason: "it has no IHDR") }
    if hasEnd {
      if position < bytes.count { parts.dropEnd(bytes.extracting(position..<bytes.count)) }
    } else {
      guard PNGChunk.imageDataOffset(in: bytes) != nil else {
        throw .truncated(.png, stage: CleanedParts.stage)
      }
      parts.notes.append("the file has no end")
      // The chunk of pixels that is cut.
      if let chunk = PNGChunk(bytes, at: position), chunk.isImageData { body += file[position..<bytes.count] }
    }
    if parts.kept.contains(.copyright) { readNames(bytes, &parts) }
    let exif = parts.keptEXIF().map { Data(PNGChunk.bytes("eXIf", [UInt8]($0))) } ?? Data()
    return file[..<PNGChunk.firstOffset] + head + exif + body
  }

  /// Whether a chunk that is not critical stays.
  private static func keeps(_ name: String, _ content: Span<UInt8>, _ parts: inout CleanedParts) -> Bool {
    if shown.contains(name) { return true }
    switch name {
    case "iCCP":
      if parts.kept.contains(.colorProfile) { return true }
      parts.drop("the colour profile")
    case "eXIf":
      if parts.exif == nil {
        parts.exif = Data(content.copy(from: 0, byteCount: content.count))
      } else {
        parts.drop("EXIF data")
      }
    // Readers take it from a text of any kind.
    case _ where texts.contains(name) && content.hasBytes(PNGMetadata.xmpKeyword, at: 0):
      parts.drop("XMP")
    case _ where texts.contains(name):
      if content.hasBytes("Raw profile type ", at: 0) {
        parts.drop("metadata in a text")
        return false
      }
      // ImageMagick writes values of EXIF data as texts too.
      if ofPlace.contains(where: { content.hasBytes($0, at: 0) }) {
        parts.drop("the place")
        return false
      }
      let isName = names.contains { content.hasBytes($0, at: 0) }
      if parts.kept.contains(isName ? .copyright : .details) { return true }
      parts.drop("a text")
    case "tIME":
      if parts.kept.contains(.details) { return true }
      parts.drop("the time of the last change")
    case "caBX": parts.drop(CleanedParts.credentials)
    default: parts.drop("data of applications")
    }
    return false
  }

  /// Reads the blocks from which names are taken: XMP, and what older programs wrote in hexadecimal digits.
  private static func readNames(_ bytes: Span<UInt8>, _ parts: inout CleanedParts) {
    let blocks = PNGMetadata.blocks(bytes) { compressed in
      // A hostile stream may cost much time for each byte; real packets have a few thousand.
      guard compressed.count <= longestCompressedText else { return nil }
      let inflated = Gzip(
        inflatingZlib: Data(compressed.copy(from: 0, byteCount: compressed.count)),
        atMost: ImageMetadata.largestBlock)
      return inflated.end == .whole ? inflated.bytes : nil
    }
    (parts.xmp, parts.iptc, parts.hiddenEXIF) = (blocks.xmp, blocks.iptc, blocks.exif)
  }
}
