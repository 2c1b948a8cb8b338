#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ImageEncoding {
  /// Encodes a bitmap in no more bytes than the options allow, at the highest quality that fits.
  ///
  /// The bytes of a lossy file grow with its quality, so the quality is found by halving: to a 64th of the one that was
  /// asked for, which nobody sees.
  ///
  /// - Throws: `EncodingError`; `tooManyBytes` when the lowest quality does not fit either, or when there is only one.
  func encode(_ bitmap: Bitmap, within options: EncodingOptions) throws(EncodingError) -> Data {
    let whole = try encode(bitmap, options: options)
    guard let limit = options.maximumByteCount, whole.count > limit else { return whole }
    var options = options
    var (low, high) = (0.0, options.compressionQuality)
    options.compressionQuality = low
    var fitting = options.isLossless ? whole : try encode(bitmap, options: options)
    guard fitting.count <= limit else {
      throw .tooManyBytes(type, byteCount: min(fitting.count, whole.count), limit: limit)
    }
    for _ in 0..<6 {
      options.compressionQuality = (low + high) / 2
      let data = try encode(bitmap, options: options)
      if data.count <= limit {
        (low, fitting) = (options.compressionQuality, data)
      } else {
        high = options.compressionQuality
      }
    }
    return fitting
  }
}
