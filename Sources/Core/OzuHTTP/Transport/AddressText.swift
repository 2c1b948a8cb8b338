#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An address in normal form, for comparisons with patterns: scheme and host in lower case, without the default
/// port, with a path, without query and fragment.
struct AddressText {
  private let text: [UInt8]

  /// Nil if it is not an address of a web host, or if another parser might read it differently.
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

  /// Whether the address begins as a pattern says. In a pattern, `*` stands for any characters except slashes.
  ///
  /// - Complexity: O(length of the address times that of the pattern), without recursion.
  func begins(as pattern: String) -> Bool {
    let pattern = Self.completed(pattern)
    // The position in the pattern after the last star, and the end of the text that the star covers.
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

  /// The pattern with its scheme and host in lower case, and with a slash after the host.
  private static func completed(_ pattern: String) -> [UInt8] {
    let parts = pattern.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    let authority = parts.prefix(3).joined(separator: "/").lowercased()
    return Array(
      (parts.count == 3
        ? authority + "/" : ([Substring(authority)] + parts.dropFirst(3)).joined(separator: "/")).utf8)
  }
}
