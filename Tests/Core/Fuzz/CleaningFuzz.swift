import Foundation
import OzuCodecs
import OzuImaging

/// Cleans a file with each choice of what stays. For any file, the result is one that stays as it is when it is cleaned again,
/// and still has the picture.
@Sendable
func fuzzCleaning(_ input: Data) {
  guard let type = (try? CleanedFile(input))?.type else { return }
  let whole = try? fuzzCodecs.picture(
    from: alone(input, type), context: DecodingContext(limits: fuzzLimits))
  for choice in 0..<16 {
    let kept = KeptMetadata(rawValue: choice)
    guard let cleaned = try? CleanedFile(input, keeping: kept) else { continue }
    guard let again = try? CleanedFile(cleaned.data, keeping: kept) else {
      preconditionFailure("a cleaned file that cannot be read")
    }
    precondition(again.data == cleaned.data, "a cleaned file that is cleaned further")
    precondition(cleaned.type == again.type, "a cleaned file of another format")
    guard let whole, kept.contains(.appearance), type != .jpeg || cleaned.notes.isEmpty else { continue }
    let picture = try? fuzzCodecs.picture(
      from: alone(cleaned.data, type), context: DecodingContext(limits: fuzzLimits))
    precondition(picture?.bitmap == whole.bitmap, "a cleaned file with another picture")
  }
}

/// A file that libraries read in the same way before and after it is cleaned, if its picture is damaged.
///
/// libwebp reads it on into the chunk behind it, such as metadata that cleaning takes away: that of a WebP ends with the
/// picture, and has no orientation. libjpeg-turbo makes other pixels of what is near the end of a file: that of a JPEG is longer.
private func alone(_ file: Data, _ type: ImageType) -> Data {
  if type == .jpeg { return file + Data(count: 8192) }
  guard type == .webp else { return file }
  let bytes = file.span.extracting(0..<WebPHeader.byteCount(file.span))
  var (chunks, position) = (Data(), 12)
  while let chunk = WebPChunk(bytes, at: position) {
    if let kind = chunk.kind, kind != .exif { chunks += file[position..<min(chunk.end, bytes.count)] }
    position = chunk.end
    if chunk.kind == .lossy || chunk.kind == .lossless { break }
  }
  let length = chunks.count + 4 + max(0, position - bytes.count)
  return file.prefix(4) + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
    + Data("WEBP".utf8) + chunks
}
