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
