import OzuBase
import OzuHTTP

/// The request line and the header fields of a request.
struct RequestHead: Hashable, Sendable {
  var method: String
  /// The path and the query.
  var target: String
  var headers = HTTPHeaders()
  /// Whether the connection may carry another request (RFC 9112 §9.3).
  var keepsAlive = true
  /// The number of bytes of the body that follows; 0 except for an upload.
  var bodyByteCount = 0
}

/// The reason why a request is not answered and its connection is closed.
struct HeadRefusal: Error, Hashable, Sendable {
  let status: Int
  let reason: String

  static func malformed(_ reason: String) -> HeadRefusal { HeadRefusal(status: 400, reason: reason) }
}

extension RequestHead {
  /// Makes a head from its parsed parts, if they form a request that this server answers.
  init(
    method: String, target: String, version: String, headers: HTTPHeaders, uploads: UploadRule? = nil
  ) throws(HeadRefusal) {
    let isCurrent = version == "HTTP/1.1"
    let host = try Self.host(headers, isRequired: isCurrent)
    // If there may be a body, another parser could see a second request in it. Some proxies send `Content-Length:
    // 0`.
    if headers.contains(name: "Transfer-Encoding") {
      throw HeadRefusal(status: 400, reason: "a request has no body here")
    }
    let bodyByteCount: Int
    if let uploads, isCurrent, method == "POST", target == uploads.path {
      bodyByteCount = try uploads.bodyByteCount(headers)
    } else {
      let lengths = headers.values(for: "Content-Length")
      guard lengths.allSatisfy({ $0 == "0" }), lengths.count <= 1 else {
        throw HeadRefusal(status: 413, reason: "a request has no body here")
      }
      bodyByteCount = 0
    }
    if headers.contains(name: "Expect") { throw HeadRefusal(status: 417, reason: "Expect is not supported") }
    guard method == "GET" || method == "HEAD" || bodyByteCount > 0 else {
      // Known methods are not allowed; unknown ones are not implemented.
      let isKnown = ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"].contains(method)
      throw HeadRefusal(status: isKnown ? 405 : 501, reason: "only GET and HEAD are answered")
    }
    let path = try Self.path(target, host: host)
    // A word that only contains "close" also ends the connection, as in nginx: closing too often is always safe
    // (§9.6).
    let closes = headers.values(for: "Connection").contains { $0.lowercased().contains("close") }
    self.init(
      method: method, target: path, headers: headers, keepsAlive: isCurrent && !closes,
      bodyByteCount: bodyByteCount)
  }

  /// The value of the one `Host` field (RFC 9112 §3.2).
  private static func host(_ headers: HTTPHeaders, isRequired: Bool) throws(HeadRefusal) -> String? {
    let hosts = headers.values(for: "Host")
    guard hosts.count <= 1 else { throw .malformed("there are several Hosts") }
    guard let host = hosts.first else {
      if isRequired { throw .malformed("there is no Host") }
      return nil
    }
    guard isHost(host) else { throw .malformed("Host is malformed") }
    return host
  }

  /// Whether the text is a name or an IPv4 address, or an IPv6 address in brackets, optionally with a port (RFC
  /// 3986 §3.2.2, §3.2.3). It must not be empty, because a web server has a host.
  private static func isHost(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let isBracketed = bytes.first == UInt8(ascii: "[")
    let end =
      isBracketed
      ? (bytes.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } ?? 0)
      : bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
    let (name, port) = (bytes[..<end], bytes[end...])
    guard !name.isEmpty, port.isEmpty || port.first == UInt8(ascii: ":"),
      port.dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
    else { return false }
    return isBracketed
      ? name.dropFirst().dropLast().allSatisfy { isHostByte($0) || $0 == UInt8(ascii: ":") }
      : name.allSatisfy(isHostByte)
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "-._~%!$&'()*+,;=".utf8.contains(byte)
    }
  }

  /// The path of a target: the target itself, or the path of an absolute URL with the same authority as `Host` (RFC
  /// 9112 §3.2.2).
  private static func path(_ target: String, host: String?) throws(HeadRefusal) -> String {
    if target.utf8.first == 0x2F {
      return try checked(target)
    }
    let lower = target.lowercased()
    guard let scheme = ["http://", "https://"].first(where: lower.hasPrefix) else {
      throw .malformed("the target is neither a path nor a URL")
    }
    let rest = target.dropFirst(scheme.utf8.count)
    let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
    let authority = String(rest[..<end])
    guard !authority.isEmpty, host.map({ $0.isEqualIgnoringASCIICase(to: authority) }) != false else {
      throw .malformed("the target is for another host than Host")
    }
    let path = rest[end...]
    return try checked(path.hasPrefix("/") ? String(path) : "/" + path)
  }

  /// The path, if every `%` begins an escape of a byte other than zero. Proxies refuse or misread other paths.
  private static func checked(_ target: String) throws(HeadRefusal) -> String {
    let bytes = Array(target.utf8)
    guard !bytes.contains(UInt8(ascii: "#")) else { throw .malformed("the target has a fragment") }
    var path = bytes.prefix { $0 != UInt8(ascii: "?") }
    while let place = path.firstIndex(of: UInt8(ascii: "%")) {
      let digits = path[(place + 1)...].prefix(2)
      guard digits.count == 2, digits.allSatisfy({ PercentEncoding.digit($0) != nil }),
        !digits.elementsEqual("00".utf8)
      else {
        throw .malformed("a percent sign does not begin an escape")
      }
      path = path[(place + 3)...]
    }
    return target
  }
}
