import Foundation

/// The part of a header that is known from the beginning of a file.
///
/// Most formats state everything before the first pixel. Some do not: in GIF, JPEG XL and animated PNG and WebP the
/// number of frames is known only at the end, WebP may state its orientation after the pixels, and a BMP of 32 bits has alpha
/// if any pixel has.
enum PartialHeader {
  /// More bytes are needed.
  case tooShort
  /// The size is known; the rest is known only at the end.
  case sized(PixelSize)
  /// The header is complete.
  case settled(ImageHeader)

  init(_ data: Data, codecs: CodecRegistry, limits: DecodingLimits) {
    guard let header = try? codecs.open(data, limits: limits).header, !header.size.isEmpty else {
      self = .tooShort
      return
    }
    // The largest preview is behind the end of these bytes.
    guard header.cameraRAW?.isCut != true else {
      self = .tooShort
      return
    }
    let webP = Self.webPFlags(data)
    if header.type == .webp, webP & Self.hasEXIF != 0 {
      // The orientation in the EXIF data may swap width and height.
      self = .tooShort
    } else if header.type == .gif || header.type == .jxl || header.frameCount > 1
      || webP & Self.isAnimated != 0
      || header.type == .png && Self.isAnimatedPNG(data) || Self.lacksMetadata(header, data)
      || Self.mayHaveAlpha(header, data)
    {
      self = .sized(header.size)
    } else {
      self = .settled(header)
    }
  }

  var size: PixelSize? {
    switch self {
    case .tooShort: nil
    case .sized(let size): size
    case .settled(let header): header.size
    }
  }

  private static let hasEXIF: UInt8 = 0x08
  private static let isAnimated: UInt8 = 0x02

  /// The flags of `VP8X` (RFC 9649 §2.7); none in a file without.
  private static func webPFlags(_ data: Data) -> UInt8 {
    let bytes = data.prefix(21)
    guard bytes.count == 21, bytes.dropFirst(12).prefix(4).elementsEqual("VP8X".utf8) else { return 0 }
    return bytes.last ?? 0
  }

  /// Whether an AVIF or HEIC has EXIF data later in the file. The orientation is not part of it.
  private static func lacksMetadata(_ header: ImageHeader, _ data: Data) -> Bool {
    guard header.type == .avif || header.type == .heic, header.metadata == nil else { return false }
    return data.prefix(1 << 16).range(of: Data("Exif".utf8)) != nil
  }

  /// Whether a later pixel of a BMP, which has 32 bits, may have alpha.
  private static func mayHaveAlpha(_ header: ImageHeader, _ data: Data) -> Bool {
    header.type == .bmp && !header.hasAlpha && data.dropFirst(28).first == 32
  }

  /// Whether `acTL` is among the first chunks, where it must be to count.
  private static func isAnimatedPNG(_ data: Data) -> Bool {
    data.prefix(1 << 16).range(of: Data("acTL".utf8)) != nil
  }
}
