/// The formats that a request accepts, sent to the server in `Accept` (RFC 9110 §12.5.1).
///
/// Servers that make pictures on demand choose by this field; with AVIF they send a fraction of the bytes of a JPEG.
/// A response that depends on the field has `Vary: Accept`, so a pipeline with other codecs uses another variant, and
/// never the bytes stored for this one.
public enum ImageAcceptance: Hashable, Sendable {
  /// The formats that the codecs of the pipeline decode, the smallest files first, then every other picture. The default.
  case decodable
  /// This text, for a server with special rules for `Accept`.
  case field(String)

  /// The value of `Accept`.
  package func text(for codecs: CodecRegistry) -> String {
    switch self {
    case .field(let text): return text
    case .decodable:
      let decodable = Set(codecs.decodableTypes)
      // A format that cannot be decoded is not named, not even with `q=0`, because some servers look only for the
      // name.
      return
        (Self.named.filter { decodable.contains($0.type) }.map { "\($0.type.mediaType)\($0.weight)" }
        + ["image/*;q=0.8", "*/*;q=0.5"]).joined(separator: ",")
    }
  }

  /// The formats that servers send only to clients that name them.
  private static let named: [(type: ImageType, weight: String)] = ImageFormat.read.compactMap { format in
    format.requestedQuality.map { (format.type, $0 < 1 ? ";q=\($0)" : "") }
  }
}
