import Foundation

/// What the beginning of a file says of its picture.
///
/// Most formats say everything before the first pixel. Some do not: GIF, JPEG XL and animated PNG and WebP have as many
/// frames as follow, and WebP may state its orientation behind the pixels.
enum PartialHeader {
  /// More bytes are needed.
  case tooShort
  /// The size is right; how many frames there are is known at the end.
  case sized(PixelSize)
  /// All is there.
  case settled(ImageHeader)

  init(_ data: Data, codecs: CodecRegistry, limits: DecodingLimits) {
    guard let header = try? codecs.header(of: data, limits: limits), !header.size.isEmpty else {
      self = .tooShort
      return
    }
    let webP = Self.webPFlags(data)
    if header.type == .webp, webP & Self.hasEXIF != 0 {
      // Its orientation may turn the picture.
      self = .tooShort
    } else if header.type == .gif || header.type == .jxl || header.frameCount > 1
      || webP & Self.isAnimated != 0
      || header.type == .png && Self.isAnimatedPNG(data) || Self.lacksMetadata(header, data)
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

  /// Whether an AVIF or HEIC has what a camera wrote, and has it further behind. The orientation is not among it.
  private static func lacksMetadata(_ header: ImageHeader, _ data: Data) -> Bool {
    guard header.type == .avif || header.type == .heic, header.metadata == nil else { return false }
    return data.prefix(1 << 16).range(of: Data("Exif".utf8)) != nil
  }

  /// Whether `acTL` stands among the first chunks, which it has to do to count.
  private static func isAnimatedPNG(_ data: Data) -> Bool {
    data.prefix(1 << 16).range(of: Data("acTL".utf8)) != nil
  }
}
