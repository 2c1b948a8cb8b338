import OzuBase
import OzuImaging

/// Cleans a WebP (RFC 9649): pictures and frames stay byte for byte; EXIF data are written again, other chunks go.
enum WebPCleaning {
  private typealias Flag = WebPContainer.Flag

  static func clean(_ file: Data, _ parts: inout CleanedParts) throws(ImageDecodingError) -> Data {
    let declared = WebPHeader.byteCount(file.span)
    let bytes = file.span.extracting(0..<declared)
    var extended: [UInt8]?
    var body = Data()
    var hasProfile = false
    /// The bytes of the last chunk that the file does not have.
    var missingCount = 0
    var position = 12
    while let chunk = WebPChunk(bytes, at: position) {
      let range = position..<min(chunk.end, declared)
      guard chunk.isWhole else {
        // The picture that is cut is all that such a file has.
        if chunk.kind == .lossy || chunk.kind == .lossless || chunk.kind == .frame {
          body += file[range]
          missingCount = chunk.end - declared
        }
        parts.notes.append("the file has no end")
        break
      }
      switch chunk.kind {
      case .extended: extended = bytes.copy(from: chunk.content.lowerBound, byteCount: chunk.content.count)
      case .lossy, .lossless, .alpha, .animation, .frame: body += padded(file[range])
      case .profile:
        hasProfile = parts.kept.contains(.colorProfile)
        if hasProfile { body += padded(file[range]) } else { parts.drop("the colour profile") }
      case .exif:
        let content = bytes.extracting(chunk.content)
        // Some writers begin it as in a JPEG.
        let start = content.hasBytes("Exif\0\0", at: 0) ? 6 : 0
        parts.exif = parts.exif ?? Data(content.copy(from: start, byteCount: content.count - start))
      case .xmp:
        parts.xmp = Data(bytes.copy(from: chunk.content.lowerBound, byteCount: chunk.content.count))
        parts.drop("XMP")
      case nil:
        parts.drop(bytes.hasBytes("C2PA", at: position) ? CleanedParts.credentials : "data of applications")
      }
      position = chunk.end
    }
    guard !body.isEmpty else { throw .truncated(.webp, stage: CleanedParts.stage) }
    if declared < file.count { parts.dropEnd(file.span.extracting(declared..<file.count)) }
    // Nothing can follow a picture that is cut: it would be read as a part of it.
    if missingCount > 0, parts.exif != nil {
      parts.exif = nil
      parts.drop("EXIF data")
    }
    let exif = parts.keptEXIF()
    var chunks = Data()
    if var header = extended, !header.isEmpty {
      header[0] &= ~(Flag.profile | Flag.exif | Flag.xmp)
      if hasProfile { header[0] |= Flag.profile }
      if exif != nil { header[0] |= Flag.exif }
      chunks += WebPChunk.bytes("VP8X", Data(header))
    }
    chunks += body
    // Without the extended header there was no EXIF data either.
    if let exif, extended != nil { chunks += WebPChunk.bytes("EXIF", exif) }
    // A chunk that is longer than its file is cut; one that is longer than the file says is damaged.
    return WebPChunk.file(chunks, declaring: min(chunks.count + 4 + missingCount, 0xFFFF_FFFE))
  }

  /// A chunk of the file; the padding byte of an odd one may be missing at the end of the file.
  private static func padded(_ bytes: Data) -> Data {
    bytes.count & 1 == 1 ? bytes + [0] : bytes
  }
}
