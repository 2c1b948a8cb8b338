import OzuBase

extension URL {
  /// The host in lower case, as an address has it: Foundation has IPv6 addresses without their brackets.
  package var hostInAddress: String? {
    guard let host = self.host()?.lowercased() else { return nil }
    return host.contains(":") ? "[\(host)]" : host
  }

  /// The host as people write it: letters of any language are decoded, IPv6 addresses have brackets.
  ///
  /// It stays percent-encoded if decoding would give other characters than letters and digits, such as a line
  /// break.
  var shownHost: String? {
    guard let encoded = host(), !encoded.isEmpty else { return nil }
    if encoded.contains(":") { return "[\(encoded)]" }
    guard encoded.contains("%"), let text = encoded.percentDecoded else { return encoded }
    let isName = text.unicodeScalars.allSatisfy { scalar in
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || "-_.".unicodeScalars.contains(scalar)
    }
    return isName ? text : encoded
  }

  /// The whole URL with the host as people write it.
  var shownText: String {
    let text = absoluteString
    // The text may have the host in another form, after the scheme and everything up to the "@".
    guard let shown = shownHost, !shown.hasPrefix("["), let scheme = text.firstRange(of: "://") else {
      return text
    }
    let authority = text[scheme.upperBound...].prefix { !"/?#".contains($0) }
    let start = authority.lastIndex(of: "@").map { authority.index(after: $0) } ?? authority.startIndex
    let end = authority[start...].firstIndex(of: ":") ?? authority.endIndex
    return "\(text[..<start])\(shown)\(text[end...])"
  }
}
