#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Which hosts, or which addresses, a client may ask: an allow list for a client that loads what strangers name.
///
/// The client checks it before the first request and again before each hop of a chain of redirects, whether the client
/// or an `HTTPCache` follows them. What is not allowed gets no request, and its name is not even looked up; the exchange
/// fails with `HTTPError.Reason.hostNotAllowed`.
///
/// It judges names, not addresses: `HTTPNetworkGuard` keeps an allowed name from leading to a private address. What a
/// cache has stored is not asked for, and so is not judged; a proxy is none of the hosts that are meant.
///
/// ```swift
/// var configuration = HTTPClientConfiguration()
/// configuration.hostRule = .only(["example.com", "*.images.example.com"])
/// ```
public enum HTTPHostRule: Sendable, Hashable {
  /// Any host may be asked.
  case any
  /// Only hosts that match one of these patterns may be asked, at any port; none, if the list is empty.
  ///
  /// A pattern is a host, which matches itself alone, or `*.` and a host, which matches every name below that host at any
  /// depth, and not the host itself. A `*` anywhere else matches nothing. Upper and lower case are the same, and so are
  /// names with and without the dot at their end. Addresses match in their one spelling only: `127.0.0.1` does not allow
  /// `127.1`. IPv6 addresses may have brackets.
  case only([String])
  /// Only addresses that begin as one of these patterns may be asked; none, if the list is empty.
  ///
  /// A pattern is the beginning of an `http` or `https` address, such as `https://*.example.com/images/`, in which `*`
  /// stands for any characters but slashes. One without a path means every path of its host, and no other host that begins
  /// as it does. Scheme and host are the same in upper and lower case, and a scheme's own port may be named or not.
  /// Addresses with a user, with steps up (`..`, `%2e`) or with a backslash are never allowed: another reader might see
  /// another path in them.
  case addresses([String])

  /// Whether a URL may be asked.
  ///
  /// - Complexity: O(length of the patterns).
  public func allows(_ url: URL) -> Bool {
    switch self {
    case .any: return true
    case .only(let patterns):
      guard let host = HostName(of: url) else { return false }
      return patterns.contains { host.matches($0) }
    case .addresses(let patterns):
      guard let address = AddressText(of: url) else { return false }
      return patterns.contains { address.begins(as: $0) }
    }
  }

  /// Does nothing if a URL may be asked; for clients of an app's own.
  ///
  /// - Throws: `HTTPError` with `hostNotAllowed` and the URL.
  public func check(_ url: URL) throws(HTTPError) {
    guard allows(url) else { throw HTTPError(.hostNotAllowed(url.shownHost ?? ""), url: url) }
  }
}

/// A host in the one form in which hosts are compared: percent-decoded, in lower case, without the last dot.
private struct HostName {
  private let text: String

  /// Nil for a URL without host, and for a host with characters or empty labels that no name has: another parser might
  /// see another host in it.
  init?(of url: URL) {
    guard let name = HostName(url.host(percentEncoded: false) ?? "") else { return nil }
    self = name.isASCII ? name : name.internationalForm ?? name
  }

  private var isASCII: Bool { text.utf8.allSatisfy { $0 < 0x80 } }

  /// The form that name servers know, where the system's URLs are able to make it.
  private var internationalForm: HostName? {
    URL(string: "http://\(text)/")?.host(percentEncoded: false).flatMap(HostName.init)
  }

  private init?(_ host: String) {
    var host = host.lowercased()
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    if !host.contains(":"), host.hasSuffix(".") { host.removeLast() }
    let isClean = host.unicodeScalars.allSatisfy { scalar in
      scalar.isASCII
        ? scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
          || "-_.:".unicodeScalars.contains(scalar)
        : scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || scalar.properties.generalCategory == .nonspacingMark
    }
    guard isClean, !host.split(separator: ".", omittingEmptySubsequences: false).contains("") else {
      return nil
    }
    text = host
  }

  func matches(_ pattern: String) -> Bool {
    guard pattern.hasPrefix("*.") else { return Self.ofPattern(pattern)?.text == text }
    guard let parent = Self.ofPattern(String(pattern.dropFirst(2))) else { return false }
    // The last label of an address is a number; addresses have no names below them.
    guard !text.contains(":"), text.split(separator: ".").last?.first?.isNumber == false else { return false }
    return text.hasSuffix("." + parent.text)
  }

  private static func ofPattern(_ text: String) -> HostName? {
    guard let name = HostName(text) else { return nil }
    return name.isASCII ? name : name.internationalForm ?? name
  }
}
