/// The formats that a picture may come in, as the request tells its server by `Accept` (RFC 9110 §12.5.1).
///
/// Servers that make pictures on demand choose by it: one that is told of AVIF sends a fraction of the bytes of a JPEG. A
/// response that depends on it says `Vary: Accept`; another set of codecs is then another variant, and never gets bytes
/// that were stored for this one.
public enum ImageAcceptance: Hashable, Sendable {
  /// The formats that the codecs of the pipeline decode, the smallest files first, then every other picture. The default.
  case decodable
  /// This text: for a server that looks at `Accept` in a way of its own.
  case field(String)

  /// What stands in `Accept`.
  package func text(for codecs: CodecRegistry) -> String {
    switch self {
    case .field(let text): return text
    case .decodable:
      let decodable = Set(codecs.decodableTypes)
      // A format that cannot be decoded is not named at all: with `q=0` it would be, and some servers look for the name
      // alone.
      return
        (Self.negotiated.filter { decodable.contains($0.type) }.map { "\($0.type.mediaType)\($0.weight)" }
        + ["image/*;q=0.8", "*/*;q=0.5"]).joined(separator: ",")
    }
  }

  /// The formats that servers send only to those who name them.
  private static let negotiated: [(type: ImageType, weight: String)] = [
    (.avif, ""), (.jxl, ";q=0.95"), (.webp, ";q=0.9"), (.heic, ";q=0.85"),
  ]
}

extension ImageRequest {
  /// The formats that it accepts in place of the pipeline's, by a property or a header field of its own.
  var ownAcceptance: ImageAcceptance? {
    if let acceptance { return acceptance }
    guard case .request(let own) = source else { return nil }
    return own.headers["Accept"].map(ImageAcceptance.field)
  }
}
