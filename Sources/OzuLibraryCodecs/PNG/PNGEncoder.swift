import CCodecs
import OzuCodecs
import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes PNG through libpng: RGB when all pixels are opaque, else RGBA with the colours divided by alpha; in 16 bits where
/// the bitmap has them, and grey where it is grey.
///
/// Adaptive filters, zlib level 6, an sRGB chunk. Lossless, but for what multiplying by alpha has lost before.
public struct PNGEncoder: ImageEncoding {
  private static let compressionLevel: Int32 = 6

  /// Makes an encoder.
  public init() {}

  /// PNG.
  public var type: ImageType { .png }

  /// PNG has alpha.
  public var keepsAlpha: Bool { true }

  /// Encodes a bitmap. `options` has nothing that concerns PNG.
  ///
  /// - Throws: `tooLarge` above 2,147,483,647 pixels a side; `failed` when memory is short.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingError) -> Data {
    let size = bitmap.size
    guard max(size.width, size.height) <= Int(Int32.max) else { throw .tooLarge(.png, size) }
    guard let encoder = ozu_png_encoder_new() else { throw .failed(.png, reason: "out of memory") }
    defer { ozu_png_encoder_free(encoder) }
    func check(_ status: OzuStatus) throws(EncodingError) {
      guard status == .done else {
        throw .failed(.png, reason: String(cString: ozu_png_encoder_message(encoder)))
      }
    }

    let hasAlpha = !bitmap.isOpaque && bitmap.hasTransparentPixel
    try check(
      ozu_png_encoder_start(
        encoder, UInt32(size.width), UInt32(size.height), bitmap.format.pixels, hasAlpha,
        Self.compressionLevel))
    let straight = UnsafeMutableRawBufferPointer.allocate(
      byteCount: size.width * bitmap.format.bytesPerPixel, alignment: 16)
    defer { straight.deallocate() }
    try bitmap.withUnsafeBytes { (pixels) throws(EncodingError) in
      // Each row lies inside the bitmap's bytes, and `straight` holds one row.
      guard let start = pixels.baseAddress, let target = straight.baseAddress else { return }
      for y in 0..<size.height {
        var row = start + y * bitmap.bytesPerRow
        if hasAlpha {
          if bitmap.format == .rgba16 {
            Premultiplication.undoWide(row, to: target, width: size.width)
          } else {
            Premultiplication.undo(row, to: target, width: size.width)
          }
          row = UnsafeRawPointer(target)
        }
        // A row of the bitmap, or the straight one, has these bytes.
        try check(
          ozu_png_encoder_write_row(encoder, row.assumingMemoryBound(to: UInt8.self), straight.count))
      }
    }
    var file = OzuBytes()
    try check(ozu_png_encoder_finish(encoder, &file))
    return file.data() ?? Data()
  }
}

extension Bitmap {
  /// Whether some pixel is not opaque, found by looking.
  fileprivate var hasTransparentPixel: Bool {
    withUnsafeBytes { bytes in
      (0..<size.height).contains { y in
        (0..<size.width).contains { x in
          switch format {
          case .bgra8: bytes[y * bytesPerRow + x * 4 + 3] != 255
          case .rgba16: bytes.load(fromByteOffset: y * bytesPerRow + x * 8 + 6, as: UInt16.self) != .max
          case .gray8: false
          }
        }
      }
    }
  }
}
