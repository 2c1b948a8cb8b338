import OzuBase
import OzuImaging

/// Cleans a GIF: the screen, colour tables, pictures and their controls stay byte for byte, and so does the number of
/// repetitions; comments and the extensions of other applications go.
enum GIFCleaning {
  static func clean(_ file: Data, _ parts: inout CleanedParts) throws(ImageDecodingError) -> Data {
    let bytes = file.span
    guard let flags = bytes.byte(at: 10), bytes.count >= 13 else {
      throw .truncated(.gif, stage: CleanedParts.stage)
    }
    var position = 13 + table(flags)
    guard position <= bytes.count else { throw .truncated(.gif, stage: CleanedParts.stage) }
    var result = file[..<position]
    blocks: while true {
      let start = position
      switch bytes.byte(at: position) {
      case 0x3B:
        result.append(0x3B)
        if position + 1 < bytes.count { parts.dropEnd(bytes.extracting(position + 1..<bytes.count)) }
        return finished(result, &parts)
      case 0x2C:
        // The descriptor, its colour table, and the size of the first code.
        guard let flags = bytes.byte(at: position + 9),
          let end = GIFFile.endOfSubblocks(bytes, at: position + 10 + table(flags) + 1)
        else {
          result += file[start...]
          break blocks
        }
        result += file[start..<end]
        position = end
      case 0x21:
        guard let label = bytes.byte(at: position + 1),
          let end = GIFFile.endOfSubblocks(bytes, at: position + 2)
        else { break blocks }
        if keeps(label, bytes.extracting(position + 2..<end), &parts) { result += file[start..<end] }
        position = end
      // Some writers leave zeros between blocks; another byte ends the valid part of the file.
      case 0: position += 1
      case nil: break blocks
      default:
        parts.dropEnd(bytes.extracting(position..<bytes.count))
        return finished(result + [0x3B], &parts)
      }
    }
    parts.notes.append("the file has no end")
    return result
  }

  private static func keeps(_ label: UInt8, _ content: Span<UInt8>, _ parts: inout CleanedParts) -> Bool {
    switch label {
    case 0xF9: return true
    case 0xFE:
      if parts.kept.contains(.details) { return true }
      parts.drop("a comment")
    case 0x01:
      // A text to be painted, which no viewer paints.
      if parts.kept.contains(.details) { return true }
      parts.drop("a text")
    case 0xFF where content.hasBytes("NETSCAPE2.0", at: 1) || content.hasBytes("ANIMEXTS1.0", at: 1):
      return true
    case 0xFF where content.hasBytes("ICCRGBG1012", at: 1):
      if parts.kept.contains(.colorProfile) { return true }
      parts.drop("the colour profile")
    case 0xFF where content.hasBytes("XMP DataXMP", at: 1):
      // The packet stands there as it is, before 258 bytes that lead readers of blocks to its end.
      parts.xmp = Data(content.copy(from: 12, byteCount: max(0, content.count - 12 - 258)))
      parts.drop("XMP")
    case 0xFF where content.hasBytes("C2PA_GIF", at: 1): parts.drop(CleanedParts.credentials)
    default: parts.drop("data of applications")
    }
    return false
  }

  /// The whole file, with the rights as a comment: a GIF has no other place for them.
  private static func finished(_ file: Data, _ parts: inout CleanedParts) -> Data {
    guard parts.kept.contains(.copyright), let xmp = parts.xmp else { return file }
    let values = MetadataValues(exif: nil, iptc: nil, iptcDigest: nil, xmp: xmp)
    let text = [values.copyright, values.artist].compactMap(\.self).joined(separator: "; ")
    guard !text.isEmpty else { return file }
    var comment: [UInt8] = [0x21, 0xFE]
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let block = rest.prefix(255)
      comment += [UInt8(block.count)] + block
      rest = rest.dropFirst(block.count)
    }
    return file.dropLast() + comment + [0, 0x3B]
  }

  /// The bytes of the colour table that flags announce.
  private static func table(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }
}
