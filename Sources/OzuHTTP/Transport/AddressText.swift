#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An address in the one spelling in which addresses are compared with patterns: scheme and host in lower case, no port
/// that is the scheme's own, a path, no query and no fragment.
struct AddressText {
  private let text: [UInt8]

  /// Nil for what is no address of a host in the web, and for what another reader might understand differently.
  init?(of url: URL) {
    let path = url.path(percentEncoded: true)
    guard let scheme = url.scheme?.lowercased(), let standardPort = Self.ports[scheme],
      let host = url.host()?.lowercased(), !host.isEmpty, url.user() == nil, url.password() == nil,
      !path.lowercased().contains("%2e"),
      !url.path(percentEncoded: false).split(whereSeparator: { $0 == "/" || $0 == "\\" }).contains(".."),
      !url.absoluteString.contains("\\")
    else { return nil }
    let port = url.port.flatMap { $0 == standardPort ? nil : ":\($0)" } ?? ""
    text = Array("\(scheme)://\(host)\(port)\(path.isEmpty ? "/" : path)".utf8)
  }

  private static let ports = ["http": 80, "https": 443]

  /// Whether it begins as a pattern says, in which `*` stands for any characters but slashes.
  ///
  /// - Complexity: O(length of the address times that of the pattern), without recursion.
  func begins(as pattern: String) -> Bool {
    let pattern = Self.completed(pattern)
    // Where the pattern goes on after a star, and up to where the star has taken the text.
    var (place, index) = (0, 0)
    var retry: (place: Int, index: Int)?
    while place < pattern.count {
      if pattern[place] == UInt8(ascii: "*") {
        retry = (place + 1, index)
        place += 1
      } else if index < text.count, text[index] == pattern[place] {
        (place, index) = (place + 1, index + 1)
      } else if let last = retry, last.index < text.count, text[last.index] != UInt8(ascii: "/") {
        retry = (last.place, last.index + 1)
        (place, index) = (last.place, last.index + 1)
      } else {
        return false
      }
    }
    return true
  }

  /// A pattern whose authority ends with a slash, and is in lower case as far as that.
  private static func completed(_ pattern: String) -> [UInt8] {
    let parts = pattern.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    let authority = parts.prefix(3).joined(separator: "/").lowercased()
    return Array(
      (parts.count == 3
        ? authority + "/" : ([Substring(authority)] + parts.dropFirst(3)).joined(separator: "/")).utf8)
  }
}
