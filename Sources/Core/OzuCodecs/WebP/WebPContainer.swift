import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads and writes the metadata blocks of a WebP (RFC 9649 §2.7).
package enum WebPContainer {
  /// The flags of the extended header.
  private enum Flag {
    static let profile: UInt8 = 0x20
    static let alpha: UInt8 = 0x10
    static let exif: UInt8 = 0x08
    static let xmp: UInt8 = 0x04
  }

  /// The blocks that are complete.
  package static func metadata(_ file: Span<UInt8>, header: ImageHeader) -> ImageMetadata {
    let bytes = file.extracting(0..<WebPHeader.byteCount(file))
    var metadata = ImageMetadata()
    var position = 12
    while let chunk = WebPChunk(bytes, at: position) {
      position = chunk.end
      guard chunk.isWhole else { continue }
      switch chunk.kind {
      case .exif: metadata.add(exif: bytes.extracting(chunk.content))
      case .xmp: metadata.add(xmp: bytes.extracting(chunk.content))
      default: break
      }
    }
    metadata.complete(with: header)
    return metadata
  }

  /// Inserts blocks into a file, still or animated, which may have the simple header. The file must have no blocks
  /// yet.
  ///
  /// - Parameter size: the size of the canvas.
  /// - Returns: the unchanged file if it is not of this format, or would become larger than its header can declare.
  package static func insert(_ metadata: EncodedMetadata, into file: Data, size: PixelSize) -> Data {
    let exif = metadata.exifWithResolution
    guard exif != nil || metadata.xmp != nil || metadata.colorProfile != nil,
      let first = WebPChunk(file.span, at: 12), 1...(1 << 24) ~= size.width, 1...(1 << 24) ~= size.height
    else { return file }
    var flags: UInt8 = 0
    var rest = file.dropFirst(12)
    if first.kind == .extended {
      flags = file.span.byte(at: 20) ?? 0
      rest = file.dropFirst(first.end)
    } else if first.kind == .lossless,
      WebPPicture(file.span.extracting(first.content), isLossless: true)?.hasAlpha == true
    {
      flags = Flag.alpha
    }
    if metadata.colorProfile != nil { flags |= Flag.profile }
    if exif != nil { flags |= Flag.exif }
    if metadata.xmp != nil { flags |= Flag.xmp }
    var chunks = chunk(
      "VP8X", Data([flags, 0, 0, 0]) + little(size.width - 1, 3) + little(size.height - 1, 3))
    if let profile = metadata.colorProfile { chunks += chunk("ICCP", profile) }
    chunks += rest
    if let exif { chunks += chunk("EXIF", exif) }
    if let xmp = metadata.xmp { chunks += chunk("XMP ", xmp) }
    guard chunks.count + 4 <= UInt32.max else { return file }
    return Data("RIFF".utf8) + little(chunks.count + 4, 4) + Data("WEBP".utf8) + chunks
  }

  private static func chunk(_ name: String, _ content: Data) -> Data {
    Data(name.utf8) + little(content.count, 4) + content + Data(repeating: 0, count: content.count & 1)
  }

  private static func little(_ value: Int, _ byteCount: Int) -> Data {
    Data((0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
  }
}
