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
