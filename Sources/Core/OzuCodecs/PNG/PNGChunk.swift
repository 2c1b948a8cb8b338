import OzuBase

/// The first eight bytes of a chunk of a PNG (W3C PNG, third edition, §5.3).
package struct PNGChunk {
  /// The offset of the first chunk, after the signature.
  package static let firstOffset = 8

  package let byteCount: Int
  package let end: Int
  package let isImageData: Bool
  /// Whether libpng needs it to make pixels.
  package let makesPixels: Bool

  /// Reads a chunk; `nil` if fewer than its first eight bytes are there.
  package init?(_ bytes: Span<UInt8>, at offset: Int) {
    guard let byteCount = bytes.bigEndian(at: offset, bytes: 4), offset + 8 <= bytes.count else { return nil }
    self.byteCount = byteCount
    end = offset + 12 + byteCount
    isImageData = bytes.hasBytes("IDAT", at: offset + 4)
    makesPixels =
      isImageData || bytes.hasBytes("IHDR", at: offset + 4) || bytes.hasBytes("PLTE", at: offset + 4)
      || bytes.hasBytes("tRNS", at: offset + 4) || bytes.hasBytes("IEND", at: offset + 4)
  }

  /// The bytes of a chunk: the length, the name, the content, and the checksum of name and content.
  package static func bytes(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + content
    return content.count.bigEndianBytes(4) + body + CRC32.of(body).bigEndianBytes(4)
  }

  /// The offset of the first chunk of pixels; `nil` if it is not there yet.
  package static func imageDataOffset(in bytes: Span<UInt8>) -> Int? {
    var position = firstOffset
    while let chunk = PNGChunk(bytes, at: position) {
      if chunk.isImageData { return position }
      position = chunk.end
    }
    return nil
  }
}
