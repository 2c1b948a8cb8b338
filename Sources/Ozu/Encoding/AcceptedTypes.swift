/// The media types of an `Accept` field (RFC 9110 §12.5.1). Invalid parts are ignored.
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

  /// The quality of a media type; `nil` if the field does not name it.
  func quality(of mediaType: String) -> Double? { qualities[mediaType] }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let end = lastIndex { !$0.isWhitespace }.map(index(after:)) ?? startIndex
    return self[..<end].drop(while: \.isWhitespace)
  }
}
