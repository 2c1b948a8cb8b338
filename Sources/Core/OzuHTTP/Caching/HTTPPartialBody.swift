import OzuBase

/// The beginning of a body whose transfer broke off, with the facts that are needed to request the rest.
///
/// It exists only if a strong validator came with it (RFC 9110 §14.2): bytes of two states of a resource must never
/// be joined.
public struct HTTPPartialBody: Sendable, Hashable {
  /// The head that came with it, in stored form.
  public let response: HTTPStoredResponse
  /// The first bytes of the body.
  public let body: Data

  /// Makes a beginning from a head and the bytes after it.
  ///
  /// - Returns: nil if the rest cannot be requested: no strong validator, an encoded body, an origin without
  ///   ranges, or no bytes.
  public init?(response: HTTPStoredResponse, body: Data) {
    self.response = response
    self.body = body
    let coding = response.headers["Content-Encoding"] ?? "identity"
    let isRefused = response.headers["Accept-Ranges"]?.isEqualIgnoringASCIICase(to: "none") == true
    guard response.status == 200, !body.isEmpty, !isRefused, coding.isEqualIgnoringASCIICase(to: "identity"),
      response.rangeValidator != nil, totalByteCount.map({ body.count < $0 }) ?? true
    else { return nil }
  }

  /// Whether another beginning of the same resource is better: it belongs to a later response, or has more bytes of
  /// the same one.
  func isWorse(than other: HTTPPartialBody) -> Bool {
    (response.responseDate, body.count) < (other.response.responseDate, other.body.count)
  }

  /// The length of the whole body, if it was announced.
  public var totalByteCount: Int? {
    HTTPResponseHead(status: 200, headers: response.headers, url: response.url).contentLength
  }

  /// The fields that request the rest.
  var requestHeaders: HTTPHeaders {
    ["Range": "bytes=\(body.count)-", "If-Range": response.rangeValidator ?? ""]
  }

  /// The reason why a 206 is not the rest of this body, or nil if it is (RFC 9110 §15.3.7).
  func reasonToReject(_ head: HTTPResponseHead) -> String? {
    guard let range = ContentRange(head.headers.first("Content-Range") ?? "") else {
      return "its Content-Range is malformed"
    }
    guard range.first == body.count else { return "it begins at another byte" }
    if let total = totalByteCount, let other = range.total, total != other {
      return "the whole has another length"
    }
    // A server may send less than the rest (RFC 9110 §15.3.7), and then nothing would show it.
    guard (totalByteCount ?? range.total) != nil else { return "nobody knows the length of the whole" }
    // A 206 has the same tag as a 200 would have; only parts with the same strong tag belong together (RFC 9111
    // §3.4). It may omit the date.
    if let tag = response.entityTag {
      guard let other = head.headers.first("ETag") else { return "it has no entity tag" }
      if tag != other { return "its entity tag is another" }
    } else if let date = head.headers.first("Last-Modified"), date != response.rangeValidator {
      return "it has changed since"
    }
    let coding = head.headers["Content-Encoding"] ?? "identity"
    guard coding.isEqualIgnoringASCIICase(to: "identity") else { return "it is encoded" }
    return nil
  }

  /// The head of the whole response, after a 206 with the rest (RFC 9111 §3.4).
  func completedHead(by head: HTTPResponseHead, byteCount: Int) -> HTTPResponseHead {
    var headers = response.headers.updated(
      by: head.headers, except: ["Content-Length", "Content-Range", "Transfer-Encoding"])
    headers["Content-Length"] = String(byteCount)
    return HTTPResponseHead(status: 200, headers: headers, url: head.url, version: head.version)
  }
}

extension HTTPStoredResponse {
  /// The value of `If-Range` (RFC 9110 §13.1.5): a strong entity tag, or a date of change at least a minute before
  /// the response, so that there was no second change in the same second (§8.8.2.2). Nil without either: then ranges of two states of
  /// the resource could be joined.
  var rangeValidator: String? {
    if let tag = entityTag { return HTTPEntityTag.isStrong(tag) ? tag : nil }
    guard let text = lastModified, let modified = HTTPDate.date(from: text), headers.contains(name: "Date"),
      date.timeIntervalSince(modified) >= 60
    else { return nil }
    return text
  }
}

/// `Content-Range: bytes 0-9/10` (RFC 9110 §14.4).
struct ContentRange: Equatable {
  let first: Int
  let last: Int
  /// Nil if the sender does not know it.
  let total: Int?

  var byteCount: Int { last - first + 1 }

  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    let ends = parts.first?.split(separator: "-", omittingEmptySubsequences: false) ?? []
    guard parts.count == 2, ends.count == 2, let first = Self.number(ends[0]),
      let last = Self.number(ends[1]),
      first <= last, last < .max
    else { return nil }
    let total = Self.number(parts[1])
    guard total != nil || parts[1] == "*", total.map({ last < $0 }) ?? true else { return nil }
    (self.first, self.last, self.total) = (first, last, total)
  }

  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }
}

/// A `Range: bytes=0-9` with one range (RFC 9110 §14.1.2), applied to a body.
struct ByteRangeRequest {
  /// The requested bytes; nil if none of them exists.
  let bytes: Range<Int>?

  /// Nil if the text is not a single range of bytes. Then the field is ignored, as a server may do.
  init?(_ text: String, of count: Int) {
    guard text.hasPrefix("bytes=") else { return nil }
    let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    let isNumber = { (text: Substring) in text.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    guard ends.count == 2, ends.allSatisfy(isNumber), !(ends[0].isEmpty && ends[1].isEmpty) else {
      return nil
    }
    // A number above the range is behind the end of every body.
    let (first, last) = (Int(ends[0]) ?? .max, Int(ends[1]) ?? .max)
    if ends[0].isEmpty {
      bytes = last > 0 && count > 0 ? max(0, count - last)..<count : nil
      return
    }
    guard first <= last else { return nil }
    bytes = first < count ? first..<min(count, last.saturatingSum(1)) : nil
  }
}
