#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The beginning of a body whose transfer broke off, with what is needed to ask for the rest.
///
/// Kept only if a strong validator came with it (RFC 9110 §14.2): bytes of two states of a resource must never
/// be joined.
public struct HTTPPartialBody: Sendable, Hashable {
  /// The head it came with, in stored form.
  public let response: HTTPStoredResponse
  /// The bytes from the first on.
  public let body: Data

  /// Takes a head and what came after it.
  ///
  /// - Returns: nil where the rest could not be asked for: no strong validator, an encoded body, ranges refused, or
  ///   no byte.
  public init?(response: HTTPStoredResponse, body: Data) {
    self.response = response
    self.body = body
    let coding = response.headers["Content-Encoding"] ?? "identity"
    let isRefused = response.headers["Accept-Ranges"]?.isEqualIgnoringASCIICase(to: "none") == true
    guard response.status == 200, !body.isEmpty, !isRefused, coding.isEqualIgnoringASCIICase(to: "identity"),
      validator != nil, totalByteCount.map({ body.count < $0 }) ?? true
    else { return nil }
  }

  /// Whether another beginning of the same resource is the one to go on with: that of the later response, or of the same
  /// one with more bytes.
  func isWorse(than other: HTTPPartialBody) -> Bool {
    (response.responseDate, body.count) < (other.response.responseDate, other.body.count)
  }

  /// The whole body's length, where it was announced.
  public var totalByteCount: Int? {
    HTTPResponseHead(status: 200, headers: response.headers, url: response.url).contentLength
  }

  /// What stands in `If-Range` (RFC 9110 §13.1.5): a strong entity tag, or a date of change that is a minute
  /// older than the response, so that no second change can hide in it (§8.8.2.2).
  var validator: String? {
    if let tag = response.entityTag { return HTTPEntityTag.isStrong(tag) ? tag : nil }
    guard let text = response.lastModified, let modified = HTTPDate.date(from: text),
      response.headers.contains(name: "Date"), response.date.timeIntervalSince(modified) >= 60
    else { return nil }
    return text
  }

  /// The fields that ask for the rest.
  var requestHeaders: HTTPHeaders {
    ["Range": "bytes=\(body.count)-", "If-Range": validator ?? ""]
  }

  /// Why a 206 is not the rest of this body, or nil when it is (RFC 9110 §15.3.7).
  func reasonToReject(_ head: HTTPResponseHead) -> String? {
    guard let range = ContentRange(head.headers.first("Content-Range") ?? "") else {
      return "its Content-Range is malformed"
    }
    guard range.first == body.count else { return "it begins at another byte" }
    if let total = totalByteCount, let other = range.total, total != other {
      return "the whole has another length"
    }
    // A 206 says the tag that a 200 would say; only parts with the same strong one belong together (RFC 9111 §3.4). The
    // date it may leave out.
    if let tag = response.entityTag {
      guard let other = head.headers.first("ETag") else { return "it has no entity tag" }
      if tag != other { return "its entity tag is another" }
    } else if let date = head.headers.first("Last-Modified"), date != validator {
      return "it has changed since"
    }
    let coding = head.headers["Content-Encoding"] ?? "identity"
    guard coding.isEqualIgnoringASCIICase(to: "identity") else { return "it is encoded" }
    return nil
  }

  /// The head of the whole, once a 206 has brought the rest (RFC 9111 §3.4).
  func completedHead(by head: HTTPResponseHead, byteCount: Int) -> HTTPResponseHead {
    var headers = response.headers
    let fields = head.headers.filter { field in
      !["Content-Length", "Content-Range", "Transfer-Encoding"].contains {
        $0.isEqualIgnoringASCIICase(to: field.name)
      }
    }
    for name in ["Age", "Date"] + fields.map(\.name) { headers.remove(name: name) }
    for field in fields { headers.add(name: field.name, value: field.value) }
    headers["Content-Length"] = String(byteCount)
    return HTTPResponseHead(status: 200, headers: headers, url: head.url, version: head.version)
  }
}

/// `Content-Range: bytes 0-9/10` (RFC 9110 §14.4).
struct ContentRange: Equatable {
  let first: Int
  let last: Int
  /// Nil where the sender does not know it.
  let total: Int?

  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    let ends = parts.first?.split(separator: "-", omittingEmptySubsequences: false) ?? []
    guard parts.count == 2, ends.count == 2, let first = Self.number(ends[0]),
      let last = Self.number(ends[1]),
      first <= last
    else { return nil }
    let total = Self.number(parts[1])
    guard total != nil || parts[1] == "*", total.map({ last < $0 }) ?? true else { return nil }
    (self.first, self.last, self.total) = (first, last, total)
  }

  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }
}

/// `Range: bytes=0-9` with one range (RFC 9110 §14.1.2), as the part of a whole.
struct ByteRangeRequest {
  /// The bytes meant, nil where none of them exists.
  let bytes: Range<Int>?

  /// Nil for what is no single range of bytes; a server may ignore that, and so is it here.
  init?(_ text: String, of count: Int) {
    guard text.hasPrefix("bytes=") else { return nil }
    let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    let isNumber = { (text: Substring) in text.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    guard ends.count == 2, ends.allSatisfy(isNumber), !(ends[0].isEmpty && ends[1].isEmpty) else {
      return nil
    }
    if ends[0].isEmpty {
      guard let suffix = Int(ends[1]) else { return nil }
      bytes = suffix > 0 && count > 0 ? max(0, count - suffix)..<count : nil
      return
    }
    guard let first = Int(ends[0]) else { return nil }
    let last = ends[1].isEmpty ? Int.max - 1 : Int(ends[1]) ?? (Int.max - 1)
    guard first <= last else { return nil }
    bytes = first < count ? first..<min(count, last + 1) : nil
  }
}
