/// How a picture is written as a file: the recipe of an `EncodedImage` beside that of its picture.
///
/// ```swift
/// let thumbnail = try await pipeline.encoded(for: request, as: .webp)
/// let small = OutputFormat(.jpeg, options: EncodingOptions(compressionQuality: 0.7, maximumByteCount: 20_000))
/// let whatTheBrowserTakes = OutputFormat.negotiated(accept: "image/avif,image/webp,*/*;q=0.8")
/// ```
public struct OutputFormat: Hashable, Sendable {
  /// The formats that may be written, the first that suits the picture is: one that keeps transparency for a picture that
  /// has it. The last one is written where none suits, over white if it must be. Never empty.
  public let types: [ImageType]
  /// Quality, effort, limits. Blocks that its `metadata` have are written where the policy leaves a place empty.
  public var options: EncodingOptions
  /// What becomes of the EXIF data and XMP of the source; nothing of them is written by default. Whatever is written says
  /// that the picture is upright, as its pixels are.
  public var metadata = MetadataPolicy.strip
  /// What becomes of colours that are not sRGB; they are converted by default. Where the format, or the encoder at hand, has
  /// no place for a profile they are converted in any case.
  public var colorProfile = ColorProfilePolicy.convert
  /// Dots per inch that are written instead of those of the source; `nil` by default.
  public var resolution: ImageResolution?
  /// Whether a source that moves is written as an animation, where one of `types` can be one: WebP, PNG or GIF, the first
  /// of them. On by default. Else its first frame is written, and `EncodedImage.isStillOfAnimation` tells.
  public var keepsAnimation = true

  /// Whether the gain map of a photograph (`ImageHeader.gainMap`) is written beside the picture, resized, cut and turned as it is, so
  /// that displays of high dynamic range go on to show it brighter. Off by default: it is some tenths of the bytes.
  ///
  /// JPEG has a place for it. Steps that change colours, or look at pixels to find their place, make it a lie: it is left out then,
  /// and `EncodedImage.notes` say so.
  public var keepsGainMap = false

  /// Writes one format, whatever the picture.
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

  /// JPEG for opaque pictures, PNG for others: what everything reads.
  public static let automatic = OutputFormat.automatic()

  /// JPEG for opaque pictures, PNG for others, with options.
  public static func automatic(options: EncodingOptions = EncodingOptions()) -> OutputFormat {
    OutputFormat(types: fallback, options: options)
  }

  /// What the client of a server accepts, by the field `Accept` of its request (RFC 9110 §12.5.1): AVIF or WebP for those
  /// who name it with a quality that is not zero, the better liked first, AVIF where they are liked alike; else JPEG or
  /// PNG. Wildcards do not count for AVIF and WebP: browsers have always sent them, whatever they could read.
  ///
  /// Two fields that come to the same formats are one recipe, and share what is cached. A server that answers by this sends
  /// `Vary: Accept`.
  ///
  /// - Parameter accept: the field; empty or `nil` for a request without one.
  public static func negotiated(
    accept: String?, options: EncodingOptions = EncodingOptions()
  ) -> OutputFormat {
    let accepted = AcceptedTypes(accept ?? "")
    let named = negotiable.compactMap { type in
      accepted.quality(of: type.mediaType).map { (type: type, quality: $0) }
    }
    // Sorting keeps the order of equals.
    let wanted = named.filter { $0.quality > 0 }.sorted { $0.quality > $1.quality }.map(\.type)
    return OutputFormat(types: wanted + fallback, options: options)
  }

  private static let negotiable: [ImageType] = [.avif, .webp]
  private static let fallback: [ImageType] = [.jpeg, .png]

  /// Grows when the same recipe makes other bytes than in an earlier release: what that has stored is then made again.
  private static let version = 1

  /// What tells it from others, in one text. It never changes for a recipe, so it can be part of a key.
  var identifier: String {
    let resolution = resolution.map { "\($0.horizontal)x\($0.vertical)" } ?? "-"
    return "encoded("
      + [
        "\(Self.version)", types.map(\.rawValue).joined(separator: "|"), options.identifier,
        metadata.rawValue, colorProfile.rawValue, resolution, keepsAnimation ? "moving" : "still",
      ].joined(separator: ",") + (keepsGainMap ? ",gains" : "") + ")"
  }

  /// The types to write a picture as, those that suit it first.
  ///
  /// - Parameter moves: whether it is an animation.
  func candidates(isOpaque: Bool, moves: Bool, _ codecs: CodecRegistry) -> [ImageType] {
    let animated = moves && keepsAnimation ? types.filter(codecs.encodableAnimationTypes.contains) : []
    let suited = types.filter { isOpaque || (try? codecs.encoder(for: $0))?.keepsAlpha == true }
    // The last one is there for those that nothing suits.
    let ordered = animated + suited + types.reversed()
    var seen: Set<ImageType> = []
    return ordered.filter { seen.insert($0).inserted }
  }
}

extension OutputFormat {
  /// Whether pixels may stay under a profile of their own: whichever type is written has a place for it.
  func mayEmbed(_ codecs: CodecRegistry) -> Bool {
    colorProfile != .convert
      && types.allSatisfy { type in
        (try? codecs.encoder(for: type)).map { $0.keptMetadata.contains(.colorProfile) } ?? true
      }
  }
}

extension OutputFormat {
  /// Whether pixels may be of high dynamic range: whichever type is written can say so.
  func mayBeBright(_ codecs: CodecRegistry) -> Bool {
    types.allSatisfy { type in (try? codecs.encoder(for: type))?.writesColorCodes ?? true }
  }
}

extension EncodingOptions {
  /// All that the bytes depend on, in one text.
  var identifier: String {
    var blocks = CacheKey.Builder()
    for block in [metadata.exif, metadata.xmp, metadata.colorProfile] {
      blocks.append(block.map { "\(CacheKey(hashing: $0))" } ?? "-")
    }
    blocks.append(metadata.resolution.map { "\($0.horizontal)x\($0.vertical)" } ?? "-")
    if let levels = metadata.lightLevels { blocks.append(levels.identifier) }
    return [
      "\(compressionQuality)", isLossless ? "lossless" : "lossy", maximumByteCount.map(String.init) ?? "-",
      effort.rawValue, metadata.isEmpty ? "-" : "\(blocks.key)", isProgressive ? "progressive" : "-",
      chromaSubsampling.rawValue,
    ].joined(separator: ",")
  }
}

extension LightLevels {
  /// All numbers in one text.
  fileprivate var identifier: String {
    let points = masteringGamut.map { [$0.white, $0.red, $0.green, $0.blue] } ?? []
    let numbers = [maximumContent, maximumAverage, masteringPeak, masteringMinimum]
    return (numbers + points.flatMap { [$0.x, $0.y] }).map { $0.map { "\($0)" } ?? "-" }.joined(
      separator: "|")
  }
}
