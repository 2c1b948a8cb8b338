/// A chunk of a PNG by its first eight bytes (W3C PNG, third edition, §5.3).
package struct PNGChunk {
  /// Where the first chunk stands, behind the signature.
  package static let firstOffset = 8

  /// The bytes of its content.
  package let byteCount: Int
  /// Where the next chunk stands.
  package let end: Int
  package let isImageData: Bool
  /// Whether libpng needs it to make pixels.
  package let makesPixels: Bool

  /// `nil` when the beginning of the chunk is not all there.
  package init?(_ bytes: Span<UInt8>, at offset: Int) {
    guard let byteCount = bytes.bigEndian(at: offset, bytes: 4), offset + 8 <= bytes.count else { return nil }
    self.byteCount = byteCount
    end = offset + 12 + byteCount
    isImageData = bytes.hasBytes("IDAT", at: offset + 4)
    makesPixels =
      isImageData || bytes.hasBytes("IHDR", at: offset + 4) || bytes.hasBytes("PLTE", at: offset + 4)
      || bytes.hasBytes("tRNS", at: offset + 4) || bytes.hasBytes("IEND", at: offset + 4)
  }

  /// Where the first chunk of pixels stands; `nil` when it is not there yet.
  package static func imageDataOffset(in bytes: Span<UInt8>) -> Int? {
    var position = firstOffset
    while let chunk = PNGChunk(bytes, at: position) {
      if chunk.isImageData { return position }
      position = chunk.end
    }
    return nil
  }
}
