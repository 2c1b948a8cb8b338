#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The part of a header that the beginning of a file states.
///
/// Most formats state everything before the first pixel. Some do not: in GIF, JPEG XL and animated PNG and WebP the
/// number of frames is known only at the end, WebP may state its orientation after the pixels, and a BMP of 32 bits has alpha
/// if any pixel has.
package enum BeginningHeader {
  /// More bytes are needed.
  case tooShort
  /// The size is known; the rest is known only at the end.
  case sized(PixelSize)
  /// The header is complete.
  case settled(ImageHeader)

  package var size: PixelSize? {
    switch self {
    case .tooShort: nil
    case .sized(let size): size
    case .settled(let header): header.size
    }
  }
}

extension CodecRegistry {
  /// Reads what the beginning of a file states of its header.
  package func header(ofBeginning data: Data, limits: DecodingLimits) -> BeginningHeader {
    // The largest preview of a camera RAW that is cut is behind the end of these bytes.
    guard let header = try? open(data, limits: limits).header, !header.size.isEmpty,
      header.cameraRAW?.isCut != true
    else { return .tooShort }
    let isComplete: Bool
    switch header.type {
    case .gif, .jxl: isComplete = false
    // `acTL` must be among the first chunks to count.
    case .png: isComplete = !data.hasEarly("acTL")
    // EXIF data may be later in the file. The orientation is not part of it.
    case .avif, .heic: isComplete = header.metadata != nil || !data.hasEarly("Exif")
    // A later pixel of 32 bits may have alpha.
    case .bmp: isComplete = header.hasAlpha || data.dropFirst(28).first != 32
    case .webp:
      let flags = data.webPFlags
      // The orientation in the EXIF data may swap width and height.
      if flags & 0x08 != 0 { return .tooShort }
      // Animated.
      isComplete = flags & 0x02 == 0
    default: isComplete = true
    }
    return isComplete && header.frameCount <= 1 ? .settled(header) : .sized(header.size)
  }
}

extension Data {
  /// Whether the first 64 KB have this text.
  fileprivate func hasEarly(_ text: String) -> Bool { prefix(1 << 16).range(of: Data(text.utf8)) != nil }

  /// The flags of `VP8X` (RFC 9649 §2.7); none in a file without.
  fileprivate var webPFlags: UInt8 {
    let bytes = prefix(21)
    guard bytes.count == 21, bytes.dropFirst(12).prefix(4).elementsEqual("VP8X".utf8) else { return 0 }
    return bytes.last ?? 0
  }
}
