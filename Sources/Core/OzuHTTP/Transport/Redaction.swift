import OzuBase

/// The parts of an address that may be shown: scheme, host, port and path. User, password, query and fragment may
/// be secret.
///
/// It works on text, so it also removes secrets from an address that no parser accepts. A secret in the path cannot
/// be recognized, and stays.
package enum Redaction {
  /// Replaces a query or a fragment.
  package static let mark = "?…"

  /// A redacted address; relative ones are supported. An address without hierarchy, such as `mailto:`, keeps only
  /// its scheme.
  package static func address(_ text: String) -> String { address(text, mark: mark) }

  /// A text in which each address is redacted. Addresses end at white space, quotation marks or angle brackets.
  package static func text(_ text: String) -> String {
    var (result, rest) = ("", text[...])
    while let range = rest.firstRange(of: "://") {
      let end =
        rest[range.upperBound...].firstIndex { $0.isWhitespace || "\"<>".contains($0) } ?? rest.endIndex
      result += rest[..<range.upperBound] + afterScheme(rest[range.upperBound..<end], mark: mark)
      rest = rest[end...]
    }
    return result + rest
  }

  /// The URL without user, password, query and fragment.
  package static func url(_ url: URL) -> URL {
    // The rest of a URL is a URL. The root replaces one that no parser accepts.
    URL(string: address(url.absoluteString, mark: "")) ?? URL(filePath: "/")
  }

  private static func address(_ text: String, mark: String) -> String {
    var bytes = text
    let isPlain = bytes.withUTF8 { bytes in
      !bytes.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    }
    // Most are plain web addresses, and a search by characters costs as much as the start of a load.
    if isPlain, text.hasPrefix("https://") || text.hasPrefix("http://") { return text }
    if let range = text.firstRange(of: "://") {
      guard !isPlain else { return text }
      return text[..<range.upperBound] + afterScheme(text[range.upperBound...], mark: mark)
    }
    if text.hasPrefix("//") { return "//" + afterScheme(text.dropFirst(2), mark: mark) }
    let path = text.prefix { !"?#".contains($0) }
    if let colon = path.firstIndex(of: ":"), !path[..<colon].contains("/") { return text[...colon] + "…" }
    return path + (path.endIndex < text.endIndex ? mark : "")
  }

  // Handles the authority, the path and the rest.
  private static func afterScheme(_ text: Substring, mark: String) -> String {
    let authority = text.prefix { !"/?#\\".contains($0) }
    let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    let port =
      host.last == "]" ? nil : host.split(separator: ":", omittingEmptySubsequences: false).dropFirst().last
    // In "user:pass/word@host" the text that looks like a port is the beginning of a password.
    guard port?.allSatisfy(\.isNumber) ?? true else { return "…" }
    let rest = text[authority.endIndex...]
    let path = rest.prefix { !"?#".contains($0) }
    return "\(host)\(path)\(path.endIndex < rest.endIndex ? mark : "")"
  }
}
