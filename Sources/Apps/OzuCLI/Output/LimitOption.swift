import Ozu

extension OptionSpecification {
  /// The most pixels of a source; see `LimitOption`.
  static let maxPixels = OptionSpecification(
    name: "max-pixels", value: "N",
    help: """
      The most pixels a picture may have, with the memory and time that they take; \
      128000000 by default, in 512 MB; for thumbnails of JPEG 512000000, of HEIC in tiles 256000000.
      """)
}

/// The option that raises or lowers the limit on the pixels of a source.
enum LimitOption {
  /// The most bytes of a pixel in a library that decodes whole pictures: HEIC above 8 bits, with the result.
  private static let bytesPerPixel = 20

  static func configure(
    _ configuration: inout ImagePipeline.Configuration, _ arguments: ParsedArguments
  ) throws(UsageError) {
    guard let count = try arguments.integer(OptionSpecification.maxPixels.name, in: 1...(1 << 40)) else {
      return
    }
    let limits = DecodingLimits.default
    let factor = max(1, Double(count) / Double(limits.pixelCount))
    configuration.decoding.limits.pixelCount = count
    configuration.decoding.limits.cpuTime = configuration.decoding.limits.cpuTime * factor
    configuration.decoding.limits.scannedPixelCount = max(
      limits.scannedPixelCount, count * limits.scansOfLargest)
    let byteCount = max(limits.decodedByteCount, count * bytesPerPixel)
    configuration.decoding.limits.decodedByteCount = byteCount
    if byteCount > DecodedByteBudget.shared.byteLimit {
      configuration.decoding.decodedByteBudget = DecodedByteBudget(byteLimit: byteCount)
    }
  }

  /// How to read a picture that is over a limit which the option raises.
  static func advice(_ error: ImageError) -> String? {
    switch error.violation?.quantity {
    case .pixelCount, .scannedPixelCount, .decodedByteCount, .cpuTime:
      "; --\(OptionSpecification.maxPixels.name) raises the limit"
    default: nil
    }
  }
}

extension DecodingLimits {
  fileprivate var scansOfLargest: Int { max(1, scannedPixelCount / max(1, pixelCount)) }
}
