import OzuImaging

/// A chunk of a RIFF file: four letters, a length, that many bytes, and a padding byte if the length is odd.
package struct WebPChunk {
  /// The chunk types that are used, as integers of their letters.
  package enum Kind: Int {
    /// `VP8X`: the extended header.
    case extended = 0x5650_3858
    /// `VP8 `: a lossy picture.
    case lossy = 0x5650_3820
    /// `VP8L`: a lossless picture.
    case lossless = 0x5650_384C
    /// `ALPH`: the alpha of a lossy picture.
    case alpha = 0x414C_5048
    /// `ANIM`: how an animation is played.
    case animation = 0x414E_494D
    /// `ANMF`: a frame of an animation.
    case frame = 0x414E_4D46
    /// `EXIF`.
    case exif = 0x4558_4946
    /// `XMP `.
    case xmp = 0x584D_5020
    /// `ICCP`: a colour profile.
    case profile = 0x4943_4350
  }

  /// `nil` for a type that is not used.
  package let kind: Kind?
  /// The range of the content, cut at the end of the file.
  package let content: Range<Int>
  /// Whether the content is complete.
  package let isWhole: Bool
  /// The offset of the next chunk.
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
