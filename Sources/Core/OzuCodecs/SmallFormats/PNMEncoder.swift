import OzuBase
import OzuImaging

/// Writes the portable formats of Netpbm: a graymap (P5) of a grey bitmap, a pixmap (P6) if all pixels are opaque, else PAM
/// (P7) with alpha; in 16 bits if the bitmap is. The ending of the file does not matter: programs look at the content.
public struct PNMEncoder: ImageEncoding {
  /// Makes an encoder.
  public init() {}

  /// PNM.
  public var type: ImageType { .pnm }

  /// Always true.
  public var keepsAlpha: Bool { true }

  /// Always false.
  public var hasQuality: Bool { false }

  /// Encodes a bitmap without loss, except for the rounding of premultiplied colours. The options are ignored.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
    let rows = StraightRows(bitmap)
    let largest = bitmap.format == .rgba16 ? 65_535 : 255
    let size = bitmap.size
    var file: [UInt8]
    if rows.hasAlpha {
      file = Array(
        """
        P7
        WIDTH \(size.width)
        HEIGHT \(size.height)
        DEPTH 4
        MAXVAL \(largest)
        TUPLTYPE RGB_ALPHA
        ENDHDR\n
        """.utf8)
    } else {
      file = Array(
        "\(bitmap.format == .gray8 ? "P5" : "P6")\n\(size.width) \(size.height)\n\(largest)\n".utf8)
    }
    let channelCount = bitmap.format == .gray8 ? 1 : rows.hasAlpha ? 4 : 3
    file.reserveCapacity(file.count + size.pixelCount * channelCount * (largest > 255 ? 2 : 1))
    rows.forEach { pixel in
      for channel in 0..<channelCount {
        if largest > 255 { file.append(UInt8(pixel[channel] >> 8)) }
        file.append(UInt8(truncatingIfNeeded: pixel[channel]))
      }
    }
    return Data(file)
  }
}
