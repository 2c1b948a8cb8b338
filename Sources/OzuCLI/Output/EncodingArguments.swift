import Ozu

/// The options about the format of results: `--format`, `--quality`, `--lossless`, `--effort`, `--max-bytes`.
enum EncodingArguments {
  static let options = [
    OptionSpecification(
      name: "format", letter: "f", value: "FORMAT", kind: .words(OutputFormats.names.map(\.0)),
      help: "\(OutputFormats.list). By default as the name of -o ends, else JPEG when opaque, PNG when not."),
    OptionSpecification(name: "force", help: "Let the name of -o end as that of another format does."),
    OptionSpecification(
      name: "quality", letter: "q", value: "0-100", help: "Of lossy formats; 85 by default."),
    OptionSpecification(
      name: "lossless", help: "Keep every pixel, in formats that can: WebP, AVIF, JPEG XL."),
    OptionSpecification(
      name: "effort", value: efforts.map(\.0).joined(separator: "|"), kind: .words(efforts.map(\.0)),
      help: "The time taken to make files small, in formats that can; medium by default."),
    OptionSpecification(
      name: "max-bytes", value: "N", help: "Lower the quality until a result has no more bytes."),
  ]

  private static let efforts = EncodingOptions.Effort.allCases.map { ($0.rawValue, $0) }

  static func format(_ arguments: ParsedArguments) throws(UsageError) -> ImageType? {
    try arguments.choice("format", among: OutputFormats.names)
  }

  static func encodingOptions(_ arguments: ParsedArguments) throws(UsageError) -> EncodingOptions {
    EncodingOptions(
      compressionQuality: Double(try arguments.integer("quality", in: 0...100) ?? 85) / 100,
      isLossless: arguments.has("lossless"),
      maximumByteCount: try arguments.integer("max-bytes", in: 1...Int.max),
      effort: try arguments.choice("effort", among: efforts) ?? .medium)
  }
}
