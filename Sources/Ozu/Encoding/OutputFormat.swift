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
  /// Quality, effort, limits.
  public var options: EncodingOptions

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
    "encoded(\(Self.version),\(types.map(\.rawValue).joined(separator: "|")),\(options.identifier))"
  }

  /// The format for a picture.
  ///
  /// - Throws: `EncodingError.unsupportedType` when none of them can be written.
  func type(isOpaque: Bool, _ codecs: CodecRegistry) throws(EncodingError) -> ImageType {
    let encodable = types.filter { (try? codecs.encoder(for: $0)) != nil }
    guard let last = encodable.last else { throw .unsupportedType(types[0]) }
    return encodable.first { isOpaque || (try? codecs.encoder(for: $0))?.keepsAlpha == true } ?? last
  }
}

extension EncodingOptions {
  /// All that the bytes depend on, in one text.
  var identifier: String {
    [
      "\(compressionQuality)", isLossless ? "lossless" : "lossy", maximumByteCount.map(String.init) ?? "-",
      effort.rawValue,
    ].joined(separator: ",")
  }
}

/// What a field `Accept` says of media types (RFC 9110 §12.5.1). What is not understood is passed over.
struct AcceptedTypes {
  private var qualities: [String: Double] = [:]

  init(_ field: String) {
    for range in field.split(separator: ",") {
      let parts = range.split(separator: ";").map { $0.trimmed }
      guard let name = parts.first?.lowercased(), name.contains("/") else { continue }
      let weight = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }
      let quality = weight.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      qualities[name] = min(max(quality, 0), 1)
    }
  }

  /// How much a type is liked that is named; `nil` for one that is not.
  func quality(of mediaType: String) -> Double? { qualities[mediaType] }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let end = lastIndex { !$0.isWhitespace }.map(index(after:)) ?? startIndex
    return self[..<end].drop(while: \.isWhitespace)
  }
}
