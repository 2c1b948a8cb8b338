/// The format of an encoded file: the recipe of an `EncodedImage` after that of its picture.
///
/// ```swift
/// let thumbnail = try await pipeline.encoded(for: request, as: .webp)
/// let small = OutputFormat(.jpeg, options: EncodingOptions(compressionQuality: 0.7, maximumByteCount: 20_000))
/// let whatTheBrowserTakes = OutputFormat.negotiated(accept: "image/avif,image/webp,*/*;q=0.8")
/// ```
public struct OutputFormat: Hashable, Sendable {
  /// The formats to choose from. The first one that suits the picture is written: one that keeps transparency, if the
  /// picture has it. If none suits, the last one is written, over white if necessary. Never empty.
  public let types: [ImageType]
  /// The quality, effort and limits. Blocks of its `metadata` are written where the policy keeps none of the source.
  public var options: EncodingOptions
  /// The treatment of the EXIF data and XMP of the source; nothing of them is written by default. Written metadata
  /// states that the picture is upright, as its pixels are.
  public var metadata = MetadataPolicy.strip
  /// The treatment of colours that are not sRGB; they are converted by default. If the format, or the available
  /// encoder, cannot write a profile, they are converted in any case.
  public var colorProfile = ColorProfilePolicy.convert
  /// The dots per inch to write instead of those of the source; `nil` by default.
  public var resolution: ImageResolution?
  /// Whether an animated source is written as an animation, in the first of `types` that allows it: WebP, PNG or GIF.
  /// On by default. Otherwise its first frame is written, and `EncodedImage.isFirstFrameOnly` is true.
  public var keepsAnimation = true

  /// Whether the gain map of a photograph (`ImageHeader.gainMap`) is written with the picture, resized, cut and
  /// turned in the same way, so that displays of high dynamic range still show it brighter. Off by default, because
  /// it takes some tenths of the bytes.
  ///
  /// Only JPEG can contain it. It is left out if a step changes colours, or chooses positions by looking at pixels,
  /// because it would be wrong then; `EncodedImage.notes` states this.
  public var keepsGainMap = false

  /// Makes a format that always writes one type.
  public init(_ type: ImageType, options: EncodingOptions = EncodingOptions()) {
    self.init(types: [type], options: options)
  }

  private init(types: [ImageType], options: EncodingOptions) {
    self.types = types
    self.options = options
  }

  /// JPEG; transparent pixels are blended over white.
  public static let jpeg = OutputFormat(.jpeg)
  /// PNG.
  public static let png = OutputFormat(.png)
  /// WebP.
  public static let webp = OutputFormat(.webp)
  /// AVIF.
  public static let avif = OutputFormat(.avif)
  /// GIF, with 256 colours a frame.
  public static let gif = OutputFormat(.gif)
  /// JPEG XL.
  public static let jxl = OutputFormat(.jxl)

  /// JPEG for opaque pictures, PNG for others; all software can read these.
  public static let automatic = OutputFormat.automatic()

  /// JPEG for opaque pictures, PNG for others, with options.
  public static func automatic(options: EncodingOptions = EncodingOptions()) -> OutputFormat {
    OutputFormat(types: fallback, options: options)
  }

  /// The format that the client of a server accepts, by the `Accept` field of its request (RFC 9110 §12.5.1): AVIF, JPEG XL
  /// or WebP if the field names it with a quality that is not zero, the higher quality first, in this order at equal
  /// quality, which is that of their bytes at an equal look, over photographs and drawn pictures; otherwise JPEG or PNG. Wildcards do not count for these, because browsers have always sent them, whatever
  /// they could read.
  ///
  /// Two fields with the same result are one recipe, and share cached files. A server that uses this must send `Vary:
  /// Accept`.
  ///
  /// - Parameter accept: the field; empty or `nil` for a request without one.
  public static func negotiated(
    accept: String?, options: EncodingOptions = EncodingOptions()
  ) -> OutputFormat {
    let accepted = AcceptedTypes(accept ?? "")
    let named = negotiable.compactMap { format in
      format.mediaTypes.compactMap(accepted.quality(of:)).max().map { (type: format.type, quality: $0) }
    }
    // Sorting keeps the order of equals.
    let wanted = named.filter { $0.quality > 0 }.sorted { $0.quality > $1.quality }.map(\.type)
    return OutputFormat(types: wanted + fallback, options: options)
  }

  private static let negotiable = ImageFormat.written.filter(\.isNegotiated)
  private static let fallback: [ImageType] = [.jpeg, .png]

  /// Raised when the same recipe makes other bytes than in an earlier release, so that files of that release are made
  /// again.
  private static let version = 3

  /// The identity of the recipe as a text. It never changes for a recipe, because it is part of a key. Qualities and efforts of
  /// types that are not written are not part of it.
  var identifier: String {
    let qualities = types.map { options.quality(for: $0) }
    let quality = Set(qualities).count == 1 ? qualities.prefix(1) : qualities[...]
    let resolution = resolution.map { "\($0.horizontal)x\($0.vertical)" } ?? "-"
    return "encoded("
      + [
        "\(Self.version)",
        types.map(\.rawValue).joined(separator: "|"),
        quality.map { "\($0)" }.joined(separator: "|"), options.identifier(for: types),
        metadata.rawValue, colorProfile.rawValue, resolution, keepsAnimation ? "moving" : "still",
      ].joined(separator: ",") + (keepsGainMap ? ",gains" : "") + ")"
  }

  /// The types to try for a picture, those that suit it first.
  ///
  /// - Parameter moves: whether it is an animation.
  func candidates(isOpaque: Bool, moves: Bool, _ codecs: CodecRegistry) -> [ImageType] {
    let animated = moves && keepsAnimation ? types.filter(codecs.encodableAnimationTypes.contains) : []
    let suited = types.filter { isOpaque || (try? codecs.encoder(for: $0))?.keepsAlpha == true }
    // If nothing suits, the last type comes first.
    let ordered = animated + suited + types.reversed()
    var seen: Set<ImageType> = []
    return ordered.filter { seen.insert($0).inserted }
  }
}

extension OutputFormat {
  /// Whether a written file may have blocks of its source. The profile of the colours is one.
  package var keepsBlocks: Bool { metadata != .strip || colorProfile != .convert }

  /// The options for a picture that no request makes and that has no source, such as a sheet. `ImagePipeline.encode` takes no
  /// resolution, so it is among the options.
  package var encodingOptions: EncodingOptions {
    var encoding = options
    encoding.metadata = EncodedMetadata(resolution: resolution?.valid)
    return encoding
  }

  /// The treatment of colours in a picture whose results get options of `ImagePipeline.encodingOptions(for:of:as:)`: they are kept as
  /// far as every type that may be written can say what they are.
  package func colorPolicy(_ codecs: CodecRegistry) -> ColorPolicy {
    guard mayEmbed(codecs) else { return .convertToSRGB }
    return mayBeBright(codecs) ? colorProfile.colorPolicy : .keepProfile
  }

  /// Whether pixels may keep their own colour profile: every type that may be written can contain it.
  func mayEmbed(_ codecs: CodecRegistry) -> Bool {
    colorProfile != .convert
      && types.allSatisfy { type in
        (try? codecs.encoder(for: type)).map { $0.keptMetadata.contains(.colorProfile) } ?? true
      }
  }

  /// Whether pixels may have a high dynamic range: every type that may be written can state it.
  func mayBeBright(_ codecs: CodecRegistry) -> Bool {
    types.allSatisfy { type in (try? codecs.encoder(for: type))?.writesColorCodes ?? true }
  }
}

extension EncodingOptions {
  /// The identity of all options but the quality that change the bytes, as a text.
  ///
  /// - Parameter types: the formats that may be written.
  fileprivate func identifier(for types: [ImageType]) -> String {
    let efforts = types.map { self.effort(for: $0).rawValue }
    let allEfforts = Set(efforts).count == 1 ? efforts[0] : efforts.joined(separator: "|")
    var blocks = CacheKey.Builder()
    for block in [metadata.exif, metadata.xmp, metadata.colorProfile] {
      blocks.append(block.map { "\(CacheKey(hashing: $0))" } ?? "-")
    }
    blocks.append(metadata.resolution.map { "\($0.horizontal)x\($0.vertical)" } ?? "-")
    if let levels = metadata.lightLevels { blocks.append(levels.identifier) }
    return [
      isLossless ? "lossless" : "lossy",
      maximumByteCount.map { "\($0)\(enforcesByteLimit ? "" : "~")" } ?? "-",
      allEfforts, metadata.isEmpty ? "-" : "\(blocks.key)", isProgressive ? "progressive" : "-",
      chromaSubsampling.rawValue,
    ].joined(separator: ",") + (colorLimit.map { ",\($0) colors" } ?? "")
      + (targetScore.map { ",score \($0)" } ?? "")
  }
}

extension LightLevels {
  fileprivate var identifier: String {
    let points = masteringGamut.map { [$0.white, $0.red, $0.green, $0.blue] } ?? []
    let numbers = [maximumContent, maximumAverage, masteringPeak, masteringMinimum]
    return (numbers + points.flatMap { [$0.x, $0.y] }).map { $0.map { "\($0)" } ?? "-" }.joined(
      separator: "|")
  }
}

/// The media types of an `Accept` field (RFC 9110 §12.5.1). Invalid parts are ignored.
struct AcceptedTypes {
  private var qualities: [String: Double] = [:]

  init(_ field: String) {
    for range in field.lowercased().filter({ !$0.isWhitespace }).split(separator: ",") {
      let parts = range.split(separator: ";")
      guard let name = parts.first, name.contains("/") else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
      let quality = weight.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      qualities[String(name)] = min(max(quality, 0), 1)
    }
  }

  /// The quality of a media type; `nil` if the field does not name it.
  func quality(of mediaType: String) -> Double? { qualities[mediaType] }
}
