import CCodecs
import OzuCodecs
import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes baseline JPEG through libjpeg-turbo, with Huffman tables made for the picture.
///
/// Quality 0 to 1 is libjpeg's 0 to 100. Below 0.9 the chroma is stored at half the size each way (4:2:0), from
/// 0.9 on in full (4:4:4). Transparent pixels are blended over white.
public struct JPEGEncoder: ImageEncoding {
  private static let fullChromaQuality = 0.9

  /// Makes an encoder.
  public init() {}

  /// JPEG.
  public var type: ImageType { .jpeg }

  /// JPEG has no alpha.
  public var keepsAlpha: Bool { false }

  /// Encodes a bitmap.
  ///
  /// - Throws: `tooLarge` above 65,500 pixels a side; `failed` when memory is short.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingError) -> Data {
    let bitmap = bitmap.converted(to: .bgra8)
    guard max(bitmap.size.width, bitmap.size.height) <= Int(ozu_jpeg_side_limit) else {
      throw .tooLarge(.jpeg, bitmap.size)
    }
    let quality = options.compressionQuality.isNaN ? 0 : min(max(options.compressionQuality, 0), 1)
    var file = OzuBytes()
    var message = [CChar](repeating: 0, count: 256)
    let status = bitmap.withUnsafeBytes { pixels in
      ozu_jpeg_encode(
        pixels.bindMemory(to: UInt8.self).baseAddress, bitmap.bytesPerRow, Int32(bitmap.size.width),
        Int32(bitmap.size.height), bitmap.isOpaque, Int32((quality * 100 + 0.5)),
        quality < Self.fullChromaQuality, &file, &message, message.count)
    }
    guard status == .done, let data = file.data() else {
      let reason = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw .failed(.jpeg, reason: String(decoding: reason, as: UTF8.self))
    }
    return data
  }
}
