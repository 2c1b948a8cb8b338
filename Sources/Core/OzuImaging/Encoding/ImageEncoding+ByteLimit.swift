#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ImageEncoding {
  /// Encodes a bitmap in at most the bytes that the options allow, at the highest quality that fits.
  ///
  /// A lossy file grows with its quality, so the quality is found by bisection, to a 64th of the wanted quality,
  /// which is not visible.
  ///
  /// - Throws: `ImageEncodingError`; `tooManyBytes` if the lowest quality does not fit either, or if the format has only
  ///   one, and the limit is enforced.
  func encode(_ bitmap: Bitmap, within options: EncodingOptions) throws(ImageEncodingError) -> Data {
    let whole = try encode(bitmap, options: options)
    guard let limit = options.maximumByteCount, whole.count > limit else { return whole }
    var options = options
    var (low, high) = (options.enforcesByteLimit ? 0.0 : 0.1, options.compressionQuality)
    guard low < high else { return whole }
    options.compressionQuality = low
    var fitting = options.isLossless ? whole : try encode(bitmap, options: options)
    guard fitting.count <= limit else {
      if !options.enforcesByteLimit { return fitting.count < whole.count ? fitting : whole }
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
