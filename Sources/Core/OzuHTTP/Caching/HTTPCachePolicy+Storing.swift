import OzuBase

extension HTTPCachePolicy {
  /// The reason why a response must not be stored (RFC 9111 §3), or nil if it may be.
  public func reasonNotToStore(
    _ head: HTTPResponseHead, for request: HTTPRequest, mode: HTTPCacheMode = .default
  ) -> String? {
    guard mode != .noStore else { return "the request bypasses the cache" }
    guard request.method == .get else { return "only answers to GET are stored" }
    guard !CacheControl(request.headers).contains("no-store") else { return "no-store in the request" }
    guard !request.hasPrecondition || head.status == 200 else { return "the request was conditional" }
    // Other requests get bodies without their coding.
    guard request.allowsContentDecoding || !head.hasContentCoding else { return "its body is encoded" }
    let control = CacheControl(head.headers)
    if let reason = prohibition(control, status: head.status, request) { return reason }
    guard (200..<600).contains(head.status), head.status != 206, head.status != 304 else {
      return "an answer of status \(head.status) is not whole"
    }
    guard !HTTPVary(head.headers).isAny else { return "Vary: *" }
    if case .ignoring = lifetimes, (200..<300).contains(head.status) { return nil }
    let isExplicit =
      control.contains("max-age") || control.contains("public") || control.contains("private")
      || head.headers.contains(name: "Expires") || isShared && control.contains("s-maxage")
    if head.status >= 500, !storesServerErrors || !isExplicit { return "a server error" }
    guard isExplicit || Self.heuristicallyCacheable.contains(head.status) else {
      return "status \(head.status) without a lifetime"
    }
    return nil
  }

  /// The reason why a response that was stored for a request must not stay stored, with the fields that it has after a validation; nil
  /// if it may.
  func reasonNotToKeep(_ response: HTTPStoredResponse, for request: HTTPRequest) -> String? {
    prohibition(response.cacheControl, status: response.status, request)
  }

  /// The reason why a directive forbids to store a response of this status; nil if none does.
  private func prohibition(_ control: CacheControl, status: Int, _ request: HTTPRequest) -> String? {
    if control.contains("must-understand") {
      // A cache that knows must-understand uses it instead of no-store (§5.2.2.3).
      if !Self.understood.contains(status) { return "must-understand, and the status is not understood" }
    } else if control.contains("no-store") {
      return "no-store"
    }
    return reasonNotToShare(control, request)
  }

  /// The reason why a shared cache must not store a response of one user; nil if it may, or if this cache has only
  /// one user.
  private func reasonNotToShare(_ control: CacheControl, _ request: HTTPRequest) -> String? {
    guard isShared else { return nil }
    if control.contains("private") { return "private, and the cache is shared" }
    let isReleased = ["public", "s-maxage", "must-revalidate"].contains(where: control.contains)
    return request.headers.contains(name: "Authorization") && !isReleased
      ? "the request had Authorization, and the cache is shared" : nil
  }

  /// The form in which a response is stored.
  public func stored(
    _ head: HTTPResponseHead, for request: HTTPRequest, requestDate: Date, responseDate: Date,
    bodyIdentity: String = ""
  ) -> HTTPStoredResponse {
    var headers = Self.storableHeaders(head.headers)
    // The recipient adds the missing date (RFC 9110 §6.6.1).
    if !headers.contains(name: "Date") {
      headers.add(name: "Date", value: HTTPDate.string(from: responseDate))
    }
    return HTTPStoredResponse(
      status: head.status, headers: headers, url: head.url, requestDate: requestDate,
      responseDate: responseDate, selectingHeaders: HTTPVary(headers).selectingHeaders(of: request),
      bodyIdentity: bodyIdentity)
  }

  /// The fields that are stored (§3.1): all except those of the connection and of proxies.
  static func storableHeaders(_ headers: HTTPHeaders) -> HTTPHeaders {
    let named = headers.values(for: "Connection").flatMap { HTTPList.elements(of: $0) }
    return HTTPHeaders(headers.filter { !$0.isNamed(connectionFields) && !$0.isNamed(named) })
  }

  private static let connectionFields = [
    "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
    "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
  ]

  /// The status codes of RFC 9110 §15 whose rules for caching this code implements.
  private static let understood = Set<Int>([
    200, 201, 202, 203, 204, 205, 300, 301, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 408,
    409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 426, 428, 429, 431, 451, 500, 501, 502, 503, 504,
    505,
  ])

  private static let safeMethods: [HTTPMethod] = [.get, .head, .options, HTTPMethod(rawValue: "TRACE")]

  /// The URLs whose stored responses an exchange invalidates (§4.4): the URL of a successful unsafe method, and the
  /// URLs of the same origin that its answer names.
  public func invalidated(by request: HTTPRequest, _ head: HTTPResponseHead) -> [URL] {
    guard !Self.safeMethods.contains(request.method), (200..<400).contains(head.status) else { return [] }
    let named = ["Location", "Content-Location"].compactMap { head.headers.first($0) }
      .compactMap { URL(webAddress: $0, relativeTo: request.url) }
      .filter { url in
        guard let a = try? HTTPOrigin(of: url), let b = try? HTTPOrigin(of: request.url) else { return false }
        return a == b
      }
    return [request.url] + named
  }
}

/// `Vary` (RFC 9110 §12.5.5): the request fields that selected the response.
struct HTTPVary {
  /// Whether the selection depends on more than request fields.
  let isAny: Bool
  /// The names in lower case, each once.
  let names: [String]

  init(_ headers: HTTPHeaders) {
    let elements = headers.values(for: "Vary").flatMap { HTTPList.elements(of: $0) }
    isAny = elements.contains("*")
    names = Set(elements.map { $0.lowercased() }).sorted()
  }

  /// The fields of a request that selected the response. Credentials are left out: they are part of the key, and
  /// should not be stored in clear text.
  func selectingHeaders(of request: HTTPRequest) -> HTTPHeaders {
    var result = HTTPHeaders()
    for name in names where !Self.isCredential(name) {
      if let value = Self.normalized(request.headers[name], name: name) {
        result.add(name: name, value: value)
      }
    }
    return result
  }

  /// Whether a response that was selected by `stored` also answers this request (RFC 9111 §4.1).
  func matches(_ request: HTTPRequest, stored: HTTPHeaders) -> Bool {
    !isAny
      && names.allSatisfy { name in
        Self.isCredential(name)
          || StoredFields.isEqual(Self.normalized(request.headers[name], name: name), stored[name])
      }
  }

  private static func isCredential(_ name: String) -> Bool {
    HTTPHeaders.credentialNames.contains { $0.isEqualIgnoringASCIICase(to: name) }
  }

  /// White space around commas is not significant. Neither is the case of languages and codings, or the order of
  /// languages, because they have weights (RFC 9110 §12.5.4).
  private static func normalized(_ value: String?, name: String) -> String? {
    guard let value else { return nil }
    let elements = HTTPList.elements(of: value)
    return switch name {
    case "accept-language": elements.map { $0.lowercased() }.sorted().joined(separator: ", ")
    case "accept-encoding": elements.joined(separator: ", ").lowercased()
    default: elements.joined(separator: ", ")
    }
  }
}

extension HTTPRequest {
  static let preconditions = [
    "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range",
  ]

  /// Whether the request has conditions of its own (RFC 9110 §13.1).
  var hasPrecondition: Bool { Self.preconditions.contains { headers.contains(name: $0) } }
}

/// Tells bodies apart by 128 bits of a fast hash and the length. It detects changes, not forgeries.
///
/// It takes a body whole or in pieces; the sizes of the pieces make no difference. Word `n` goes into lane `n % 4`: a multiplication
/// waits for the one before it in its lane, and four lanes do not wait for each other. Each step is a bijection of the lane for
/// a word and of the word for a lane, so bodies that differ in one word never have the same lanes.
struct HTTPBodyIdentity {
  private var lanes = SIMD4<UInt64>(
    0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x2752_20A9_5FDE_4A6B)
  private var wordCount = 0
  /// Bytes that do not fill a word yet, the first one lowest.
  private var rest: UInt64 = 0
  private var restByteCount = 0

  /// The identity of a whole body.
  static func of(_ body: Data) -> String {
    var identity = HTTPBodyIdentity()
    body.withUnsafeBytes { identity.update($0) }
    return identity.text
  }

  /// Takes the next bytes of the body.
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while restByteCount > 0, offset < bytes.count {
      push(bytes[offset])
      offset += 1
    }
    func word(_ index: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset &+ 8 &* index, as: UInt64.self))
    }
    while offset &+ 8 <= bytes.count, wordCount % 4 != 0 {
      add(word(0))
      offset &+= 8
    }
    var (a, b, c, d) = (lanes[0], lanes[1], lanes[2], lanes[3])
    let start = offset
    while offset &+ 32 <= bytes.count {
      a = Self.mixed(a, word(0))
      b = Self.mixed(b, word(1))
      c = Self.mixed(c, word(2))
      d = Self.mixed(d, word(3))
      offset &+= 32
    }
    lanes = SIMD4(a, b, c, d)
    wordCount += (offset - start) / 8
    while offset &+ 8 <= bytes.count {
      add(word(0))
      offset &+= 8
    }
    while offset < bytes.count {
      push(bytes[offset])
      offset += 1
    }
  }

  /// The identity of the bytes so far.
  var text: String {
    let byteCount = 8 * wordCount + restByteCount
    // A vector, because an array would be an allocation for each body.
    let words = SIMD8(lowHalf: lanes, highHalf: SIMD4(rest, UInt64(byteCount), 0, 0))
    let first = (0..<7).reduce(0) { Self.mixed($0, words[$1]) }
    let second = (0..<7).reversed().reduce(first) { Self.mixed($0, words[$1]) }
    // Numbers of base 36, written from the end: 64 bits have 13 digits.
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3 * 13 + 2) { buffer in
      var start = buffer.count
      func put(_ byte: UInt8) {
        start -= 1
        buffer[start] = byte
      }
      for (index, number) in [UInt64(byteCount), second, first].enumerated() {
        if index > 0 { put(UInt8(ascii: "-")) }
        var rest = number
        repeat {
          let digit = UInt8(rest % 36)
          put(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
          rest /= 36
        } while rest > 0
      }
      return String(decoding: buffer[start...], as: UTF8.self)
    }
  }

  private mutating func push(_ byte: UInt8) {
    rest |= UInt64(byte) << (8 * UInt64(restByteCount))
    restByteCount += 1
    guard restByteCount == 8 else { return }
    add(rest)
    (rest, restByteCount) = (0, 0)
  }

  private mutating func add(_ word: UInt64) {
    lanes[wordCount % 4] = Self.mixed(lanes[wordCount % 4], word)
    wordCount += 1
  }

  private static func mixed(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    let product = (lane ^ word) &* 0xFF51_AFD7_ED55_8CCD
    return product ^ product >> 32
  }
}
