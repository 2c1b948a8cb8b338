import Ozu

/// The options about the format of results: `--format`, `--quality`, `--metadata` and others.
enum EncodingArguments {
  static let options =
    [
      OptionSpecification(
        name: "format", letter: "f", value: "FORMAT",
        kind: .words(OutputFormats.names.map(\.0) + [automatic, kept]),
        help: """
          \(OutputFormats.list), auto: JPEG when opaque, PNG when not, or keep: that of each source, auto where it cannot be \
          written. By default the ending of -o decides, else auto.
          """),
      OptionSpecification(name: "force", help: "Allow a name for -o that has the ending of another format."),
    ] + contents

  /// Those for single frames: they have no gain map and do not move.
  static let stills = options.filter { !["no-gain-map", "still"].contains($0.name) }
  /// Those for pictures that are drawn: they keep nothing of a file.
  static let drawings = stills.filter { !["metadata", "profile"].contains($0.name) }

  /// The options about the contents of a file, for all formats.
  static let contents = [
    OptionSpecification(
      name: "quality", letter: "q", value: "N|FORMAT=N,…",
      help: """
        The quality of lossy formats, 0 to 100; 85 by default. One number looks about the same in each of them. \
        jpeg=80,avif=60 and 80,avif=60 name formats with a quality of their own.
        """),
    OptionSpecification(
      name: "target", value: "30-100",
      help: """
        Instead of a quality: how much a result must look like its picture, in points of SSIMULACRA2. 70 is good, 80 hard to \
        tell beside it, 90 hard to tell at all. Takes up to four tries.
        """),
    OptionSpecification(
      name: "lossless",
      help:
        "Keep every pixel, in formats that can: WebP, AVIF, JPEG XL. An unchanged JPEG becomes a JPEG XL that gives it back."
    ),
    OptionSpecification(
      name: "effort", value: efforts.map(\.0).joined(separator: "|"), kind: .words(efforts.map(\.0)),
      help: """
        The time taken to make files small; medium by default. JPEG has no low of its own, and its high is progressive.
        """),
    OptionSpecification(
      name: "max-bytes", value: "BYTES",
      help: "Lower the quality until a result has no more bytes, such as 100kB."),
    OptionSpecification(
      name: "metadata", value: policies.map(\.0).joined(separator: "|"), kind: .words(policies.map(\.0)),
      help: """
        strip: write no metadata of the source (default). copyright: the artist and the copyright. keep: EXIF data without \
        the place where it was taken. all: EXIF data and XMP, with the place.
        """),
    OptionSpecification(
      name: "profile", value: profiles.map(\.0).joined(separator: "|"), kind: .words(profiles.map(\.0)),
      help: """
        convert: colours become sRGB (default). embed: they stay, and the ICC profile of the source is written, in formats \
        that can have one. keep: as embed, and in PNG, AVIF and JPEG XL also colours that the source describes by numbers \
        for primaries and transfer function (PQ, HLG), with all their bits.
        """),
    OptionSpecification(
      name: "dpi", value: "N", help: "Write this resolution, in dots per inch, into formats that have one."),
    OptionSpecification(
      name: "progressive", help: "Write JPEG and JPEG XL in passes, each of which shows more detail."),
    OptionSpecification(
      name: "chroma", value: chromas.map(\.0).joined(separator: "|"), kind: .words(chromas.map(\.0)),
      help: """
        The part of the colour detail that JPEG and AVIF keep: all, a half or a quarter; auto (default) is all in AVIF, and \
        in JPEG a quarter below quality 90.
        """),
    OptionSpecification(
      name: "colors", value: "N", help: "Reduce a PNG to at most N colours, 2 to 256."),
    OptionSpecification(
      name: "no-gain-map", help: "Leave out the gain map of a photograph; JPEG keeps it by default."),
    OptionSpecification(name: "still", help: "Write only the first frame of an animation."),
  ]

  private static let automatic = "auto"
  private static let kept = "keep"
  private static let efforts = EncodingOptions.Effort.allCases.map { ($0.rawValue, $0) }
  private static let policies: [(String, MetadataPolicy)] = [
    ("strip", .strip), ("copyright", .keepCopyright), ("keep", .keepWithoutPlace), ("all", .keepAll),
  ]
  private static let profiles = ColorProfilePolicy.allCases.map { ($0.rawValue, $0) }
  private static let chromas: [(String, ChromaSubsampling)] = [
    (automatic, .automatic), ("full", .full), ("half", .half), ("quarter", .quarter),
  ]

  static func format(_ arguments: ParsedArguments) throws(UsageError) -> FormatChoice {
    if let name = arguments.value("format") { try OutputFormats.refuseReadOnly(name, of: "format") }
    let choices = OutputFormats.names.map { ($0.0, FormatChoice.type($0.1)) }
    return try arguments.choice("format", among: choices + [(automatic, .automatic), (kept, .keep)])
      ?? .byName
  }

  /// The settings for writing a type; with `nil` the picture decides on the type.
  static func outputFormat(
    _ arguments: ParsedArguments, _ type: ImageType?
  ) throws(UsageError) -> OutputFormat {
    let quality = try arguments.value("quality").map { text throws(UsageError) in
      try ByFormat(qualities: text, name: "--quality", in: 0...100)
    }
    let target = try arguments.integer("target", in: 30...100)
    if target != nil, quality != nil {
      throw UsageError("--target and --quality cannot be used together")
    }
    var options = EncodingOptions(
      compressionQuality: Double(quality?.common ?? 85) / 100,
      isLossless: arguments.has("lossless"),
      maximumByteCount: try arguments.byteCount("max-bytes", in: 1...Int.max),
      effort: try arguments.choice("effort", among: efforts) ?? .medium,
      isProgressive: arguments.has("progressive"),
      chromaSubsampling: try arguments.choice("chroma", among: chromas) ?? .automatic,
      colorLimit: try arguments.integer("colors", in: 2...256), targetScore: target.map(Double.init))
    options.qualities = quality?.named.mapValues { Double($0) / 100 } ?? [:]
    var format = type.map { OutputFormat($0, options: options) } ?? .automatic(options: options)
    format.metadata = try arguments.choice("metadata", among: policies) ?? .strip
    format.colorProfile = try arguments.choice("profile", among: profiles) ?? .convert
    format.resolution = try arguments.integer("dpi", in: 1...65_535).map {
      ImageResolution(dotsPerInch: Double($0))
    }
    format.keepsAnimation = !arguments.has("still")
    format.keepsGainMap = !arguments.has("no-gain-map")
    return format
  }
}

extension OutputFormat {
  /// The same recipe for another type.
  func with(_ type: ImageType) -> OutputFormat {
    var format = OutputFormat(type, options: options)
    format.metadata = metadata
    format.colorProfile = colorProfile
    format.resolution = resolution
    format.keepsAnimation = keepsAnimation
    format.keepsGainMap = keepsGainMap
    return format
  }
}

/// The choice of a command line for the format of results.
enum FormatChoice: Equatable, Sendable {
  /// By the ending of the name, or else by the picture.
  case byName
  /// By the picture, for all names.
  case automatic
  /// That of the source.
  case keep
  case type(ImageType)
}

/// A value for all formats and others for single ones, of a command line or of the settings of the service: `80`,
/// `jpeg=80,avif=60` or `80,avif=60`.
struct ByFormat<Value> {
  /// The value of the formats that are not named.
  private(set) var common: Value?
  private(set) var named: [ImageType: Value] = [:]

  /// - Parameters:
  ///   - name: the option or setting, for messages.
  ///   - noun: what a value is: `a quality`.
  ///   - formats: the names of the formats that can have one.
  ///   - needs: the values that there are, for the message about another text.
  ///   - value: reads a value.
  /// - Throws: `UsageError` for a text that is no value, for a format without one, and for two values of one format.
  init(
    _ text: String, name: String, noun: String, formats: [(String, ImageType)], needs: String,
    example: String, _ value: (String) -> Value?
  ) throws(UsageError) {
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let own = parts.last.flatMap(value) else {
        throw UsageError("\(name) \(text): \(needs) is needed", hint: "For example: \(example).")
      }
      let isRepeated: Bool
      if parts.count == 1 {
        isRepeated = common != nil
        common = own
      } else {
        guard let type = formats.first(where: { $0.0 == parts[0].lowercased() })?.1 else {
          throw UsageError(
            "\(name) \(text): \"\(parts[0])\" is no format with \(noun)",
            hint: "It can be \(formats.map(\.0).joined(separator: ", ")).")
        }
        isRepeated = named.updateValue(own, forKey: type) != nil
      }
      if isRepeated { throw UsageError("\(name) \(text): one format has two values") }
    }
  }
}

extension ByFormat<Int> {
  /// Reads qualities.
  init(
    qualities text: String, name: String, in range: ClosedRange<Int>,
    formats: [(String, ImageType)] = OutputFormats.names
  ) throws(UsageError) {
    try self.init(
      text, name: name, noun: "a quality", formats: formats.filter { QualityScale.types.contains($0.1) },
      needs: "a whole number from \(range.lowerBound) to \(range.upperBound)",
      example: "80, or jpeg=80,avif=60"
    ) { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }
  }
}
