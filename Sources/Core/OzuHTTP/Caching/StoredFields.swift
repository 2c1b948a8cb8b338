import OzuBase

/// The parts of header fields that may be written to a disk.
enum StoredFields {
  /// Fields of a response whose whole value is a credential, or may be.
  private static let secret = [
    "Set-Cookie", "Set-Cookie2", "Cookie", "Authorization", "Proxy-Authorization", "Authentication-Info",
    "X-Auth-Token", "X-Api-Key", "X-Csrf-Token", "X-Xsrf-Token", "X-Amz-Security-Token",
    "X-Goog-Iam-Authorization-Token",
  ]
  /// Fields whose value is one address.
  private static let addresses = ["Location", "Content-Location"]
  /// Fields whose value contains addresses.
  private static let texts = ["Link", "Refresh"]

  /// Request fields that describe the abilities of a client, and not its identity.
  private static let harmless = [
    "accept", "accept-charset", "accept-encoding", "accept-language", "device-memory", "downlink", "dpr",
    "ect",
    "origin", "rtt", "save-data", "upgrade-insecure-requests", "user-agent", "viewport-width", "width",
  ]
  private static let digestMark = "sha256:"

  /// The fields of a response without possible secrets.
  static func withoutSecrets(_ headers: HTTPHeaders) -> HTTPHeaders {
    HTTPHeaders(
      headers.compactMap { field in
        func isOne(of names: [String]) -> Bool {
          names.contains { $0.isEqualIgnoringASCIICase(to: field.name) }
        }
        if isOne(of: secret) { return nil }
        if isOne(of: addresses) {
          return HTTPHeaders.Field(name: field.name, value: Redaction.address(field.value))
        }
        if isOne(of: texts) { return HTTPHeaders.Field(name: field.name, value: Redaction.text(field.value)) }
        return field
      })
  }

  /// The fields that selected a variant, in a form that can be compared: possible secrets become digests. Applying
  /// it twice gives the same result as once.
  static func comparable(_ selecting: HTTPHeaders) -> HTTPHeaders {
    HTTPHeaders(
      selecting.map {
        HTTPHeaders.Field(name: $0.name, value: comparable($0.value, name: $0.name.lowercased()))
      })
  }

  private static func comparable(_ value: String, name: String) -> String {
    guard !harmless.contains(name), !name.hasPrefix("sec-ch-"), !value.hasPrefix(digestMark) else {
      return value
    }
    return digestMark + SHA256.hexDigest(of: value)
  }

  /// Whether the value in a request equals the stored one, which may be a digest.
  static func isEqual(_ value: String?, _ stored: String?) -> Bool {
    guard value != stored else { return true }
    guard let value, let stored, stored.hasPrefix(digestMark) else { return false }
    return stored == digestMark + SHA256.hexDigest(of: value)
  }
}
