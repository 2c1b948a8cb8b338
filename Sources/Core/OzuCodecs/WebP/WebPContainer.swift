import OzuBase
import OzuImaging

/// Reads and writes the metadata blocks of a WebP (RFC 9649 §2.7).
package enum WebPContainer {
  enum Flag {
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
    let sides = (size.width - 1).littleEndianBytes(3) + (size.height - 1).littleEndianBytes(3)
    var chunks = WebPChunk.bytes("VP8X", Data([flags, 0, 0, 0] + sides))
    if let profile = metadata.colorProfile { chunks += WebPChunk.bytes("ICCP", profile) }
    chunks += rest
    if let exif { chunks += WebPChunk.bytes("EXIF", exif) }
    if let xmp = metadata.xmp { chunks += WebPChunk.bytes("XMP ", xmp) }
    guard chunks.count + 4 <= UInt32.max else { return file }
    return WebPChunk.file(chunks, declaring: chunks.count + 4)
  }
}

/// A chunk of a RIFF file: four letters, a length, that many bytes, and a padding byte if the length is odd.
package struct WebPChunk {
  /// The chunk types that are used, as integers of their letters.
  package enum Kind: Int {
    case extended = 0x5650_3858  // VP8X
    case lossy = 0x5650_3820  // VP8
    case lossless = 0x5650_384C  // VP8L
    case alpha = 0x414C_5048  // ALPH
    case animation = 0x414E_494D  // ANIM
    case frame = 0x414E_4D46  // ANMF
    case exif = 0x4558_4946  // EXIF
    case xmp = 0x584D_5020  // XMP
    case profile = 0x4943_4350  // ICCP
  }

  /// `nil` for a type that is not used.
  package let kind: Kind?
  /// The range of the content, cut at the end of the file.
  package let content: Range<Int>
  package let isWhole: Bool
  package let end: Int

  /// The chunk at an offset; `nil` if its header does not fit into the file.
  package init?(_ bytes: Span<UInt8>, at offset: Int) {
    guard let letters = bytes.bigEndian(at: offset, bytes: 4),
      let byteCount = bytes.littleEndian(at: offset + 4, bytes: 4)
    else { return nil }
    kind = Kind(rawValue: letters)
    let start = offset + 8
    isWhole = byteCount <= bytes.count - start
    content = start..<min(start + byteCount, bytes.count)
    end = start + byteCount + byteCount & 1
  }

  static func bytes(_ name: String, _ content: Data) -> Data {
    Data(Array(name.utf8) + content.count.littleEndianBytes(4)) + content + Data(count: content.count & 1)
  }

  /// The file of some chunks, with the number of bytes that it declares after its first eight.
  static func file(_ chunks: Data, declaring byteCount: Int) -> Data {
    Data(Array("RIFF".utf8) + byteCount.littleEndianBytes(4) + Array("WEBP".utf8)) + chunks
  }
}

/// The first bytes of a coded picture: of VP8 (RFC 6386 §9.1) or of VP8L (RFC 9649 §3.4).
package struct WebPPicture {
  package let size: PixelSize
  package let hasAlpha: Bool
  package let isLossless: Bool

  /// `nil` if the bytes are too few or are not the beginning of such a picture.
  package init?(_ content: Span<UInt8>, isLossless: Bool) {
    self.isLossless = isLossless
    if isLossless {
      guard content.byte(at: 0) == 0x2F, let fields = content.littleEndian(at: 1, bytes: 4) else {
        return nil
      }
      size = PixelSize(fields & 0x3FFF + 1, fields >> 14 & 0x3FFF + 1)
      hasAlpha = fields >> 28 & 1 == 1
    } else {
      guard content.bigEndian(at: 3, bytes: 3) == 0x9D_012A,
        let width = content.littleEndian(at: 6, bytes: 2), let height = content.littleEndian(at: 8, bytes: 2)
      else { return nil }
      size = PixelSize(width & 0x3FFF, height & 0x3FFF)
      hasAlpha = false
      if size.isEmpty { return nil }
    }
  }
}
