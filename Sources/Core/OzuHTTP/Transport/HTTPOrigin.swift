import OzuBase

/// Scheme, host and port: the unit to which credentials and connections belong (RFC 6454).
package struct HTTPOrigin: Hashable, Sendable {
  let isSecure: Bool
  let host: String
  let port: Int

  /// The valid port numbers.
  static let ports = 1...65_535

  /// The origin of an absolute `http` or `https` URL.
  package init(of url: URL) throws(HTTPError) {
    guard let scheme = url.scheme else { throw HTTPError(.invalidURL, url: url) }
    isSecure = scheme.isEqualIgnoringASCIICase(to: "https")
    guard isSecure || scheme.isEqualIgnoringASCIICase(to: "http") else {
      throw HTTPError(.unsupportedScheme(scheme.lowercased()), url: url)
    }
    guard let host = url.host(), !host.isEmpty else { throw HTTPError(.invalidURL, url: url) }
    port = url.port ?? (isSecure ? 443 : 80)
    // Foundation has no port where the number is too large for one.
    guard Self.ports.contains(port), url.port != nil || !url.namesPort else {
      throw HTTPError(.invalidURL, url: url)
    }
    self.host = host.lowercased()
  }
}

extension URL {
  /// Whether digits of a port follow the host (RFC 3986 §3.2.3). Each load asks, so this is one pass over the bytes.
  fileprivate var namesPort: Bool {
    var text = absoluteString
    return text.withUTF8 { bytes in
      var slashCount = 0
      // Since the last colon; -1 if anything else follows it.
      var digitCount = -1
      for byte in bytes {
        switch byte {
        case UInt8(ascii: "/") where slashCount < 2: (slashCount, digitCount) = (slashCount + 1, -1)
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return digitCount > 0
        case UInt8(ascii: ":"): digitCount = 0
        case UInt8(ascii: "0")...UInt8(ascii: "9") where digitCount >= 0: digitCount += 1
        default: digitCount = -1
        }
      }
      return digitCount > 0
    }
  }
}

extension HTTPRequest {
  /// The most bytes of the URL and the fields. Servers refuse far fewer. The transport has limits too, and its error
  /// does not tell a long request from a long answer.
  static let maximumHeadByteCount = 256 << 10

  /// Checks that the request is valid HTTP, and returns its origin.
  ///
  /// A line break in a field would let the author of its value add further fields.
  func validatedOrigin() throws(HTTPError) -> HTTPOrigin {
    let origin = try HTTPOrigin(of: url)
    guard url.absoluteString.utf8.count + headers.byteCount <= Self.maximumHeadByteCount else {
      throw HTTPError(
        .invalidRequest("its URL and fields have more than \(Self.maximumHeadByteCount) bytes"), url: url)
    }
    guard method.rawValue.isHTTPToken else {
      throw HTTPError(.invalidRequest("the method \"\(method.rawValue)\" is not a token"), url: url)
    }
    for field in headers {
      guard field.name.isHTTPToken else {
        throw HTTPError(.invalidRequest("the field name \"\(field.name)\" is not a token"), url: url)
      }
      guard field.value.isHTTPFieldValue else {
        throw HTTPError(.invalidRequest("the value of \(field.name) contains a line break"), url: url)
      }
    }
    return origin
  }

  /// The caller's fields without those of the connection, which the transport writes itself.
  var endToEndHeaders: some Sequence<HTTPHeaders.Field> {
    headers.lazy.filter { !$0.isNamed(HTTPRequest.connectionFields) }
  }

  private static let connectionFields = [
    "Connection", "Content-Length", "Keep-Alive", "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade",
  ]

  /// Whether the transport may request a content coding and decode it. False for a range, whose offsets count
  /// encoded bytes, and false if the caller chose the codings.
  var allowsContentDecoding: Bool {
    !headers.contains(name: "Accept-Encoding") && !headers.contains(name: "Range")
  }
}

/// Which hosts, or which addresses, a client may ask: an allow list for clients that load untrusted addresses.
///
/// The client checks it before the first request and before each hop of a chain of redirects, whether the client or
/// an `HTTPCache` follows them. A host that is not allowed gets no request, and its name is not even looked up. The
/// exchange fails with `HTTPError.Reason.hostNotAllowed`.
///
/// It checks names, not addresses: `HTTPNetworkGuard` prevents an allowed name from leading to a private address.
/// Stored responses need no request, so they are not checked. The name of a proxy is not checked either.
///
/// ```swift
/// var configuration = HTTPClientConfiguration()
/// configuration.hostRule = .only(["example.com", "*.images.example.com"])
/// ```
public enum HTTPHostRule: Sendable, Hashable {
  /// Any host may be asked.
  case any
  /// Only hosts that match one of these patterns may be asked, at any port. If the list is empty, no host may be
  /// asked.
  ///
  /// A pattern is a host, which matches only itself, or `*.` and a host, which matches every name below that host
  /// at any depth, but not the host itself. A `*` anywhere else matches nothing. Case and a dot at the end of names
  /// do not matter. IP addresses match only in the same spelling: `127.0.0.1` does not allow `127.1`. IPv6
  /// addresses may have brackets.
  case only([String])
  /// Only addresses that begin with one of these patterns may be asked. If the list is empty, no address may be
  /// asked.
  ///
  /// A pattern is the beginning of an `http` or `https` address, such as `https://*.example.com/images/`, in which
  /// `*` stands for any characters except slashes. A pattern without a path allows every path of its host, but no
  /// longer host names. The case of scheme and host does not matter, and the default port may be present or not.
  /// Addresses with a user, with parent segments (`..`, `%2e`) or with a backslash are never allowed, because
  /// another parser might see another path in them.
  case addresses([String])

  /// Whether the client may ask a URL.
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

  /// Throws unless the client may ask a URL; for an app's own clients.
  ///
  /// - Throws: `HTTPError` with the reason `hostNotAllowed` and the URL.
  public func check(_ url: URL) throws(HTTPError) {
    guard allows(url) else { throw HTTPError(.hostNotAllowed(url.shownHost ?? ""), url: url) }
  }
}

/// A host in normal form for comparisons: percent-decoded, in lower case, without the last dot.
private struct HostName {
  private let text: String

  /// Nil for a URL without a host, and for a host with invalid characters or empty labels, because another parser
  /// might see another host in it.
  init?(of url: URL) {
    guard let name = HostName(url.host(percentEncoded: false) ?? "") else { return nil }
    self = name.isASCII ? name : name.internationalForm ?? name
  }

  private var isASCII: Bool { text.utf8.allSatisfy { $0 < 0x80 } }

  /// The form that name servers use, if the system's URLs can make it.
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
    // If the last label begins with a digit, it is an IP address, which has no names below it.
    guard !text.contains(":"), text.split(separator: ".").last?.first?.isNumber == false else { return false }
    return text.hasSuffix("." + parent.text)
  }

  private static func ofPattern(_ text: String) -> HostName? {
    guard let name = HostName(text) else { return nil }
    return name.isASCII ? name : name.internationalForm ?? name
  }
}

/// An address in normal form, for comparisons with patterns: scheme and host in lower case, without the default
/// port, with a path, without query and fragment.
struct AddressText {
  private let text: [UInt8]

  /// Nil if it is not an address of a web host, or if another parser might read it differently.
  init?(of url: URL) {
    let path = url.path(percentEncoded: true)
    guard let scheme = url.scheme?.lowercased(), let standardPort = Self.ports[scheme],
      let host = url.hostInAddress, !host.isEmpty, url.user() == nil, url.password() == nil,
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

  /// The pattern with its scheme and host in lower case, without the default port, and with a slash after the host.
  private static func completed(_ pattern: String) -> [UInt8] {
    let parts = pattern.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    var authority = parts.prefix(3).joined(separator: "/").lowercased()
    for (scheme, port) in ports where authority.hasPrefix("\(scheme)://") && authority.hasSuffix(":\(port)") {
      authority.removeLast(":\(port)".count)
    }
    return Array(
      (parts.count == 3
        ? authority + "/" : ([Substring(authority)] + parts.dropFirst(3)).joined(separator: "/")).utf8)
  }
}
