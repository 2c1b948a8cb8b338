import Testing

@testable import OzuHTTP

@Suite("Storing and invalidation (RFC 9111 §3, §4.4)")
struct HTTPStoringTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var status = 200
    var headers: HTTPHeaders = [:]
    var request = OzuHTTPTests.request()
    var mode = HTTPCacheMode.default
    let isStored: Bool
    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(name: "§3 a plain 200", isStored: true),
    Case(name: "§5.2.2.5 no-store", headers: ["Cache-Control": "max-age=60, No-Store"], isStored: false),
    Case(name: "§5.2.2.7 private", headers: ["Cache-Control": "private"], isStored: true),
    Case(name: "§5.2.2.4 no-cache", headers: ["Cache-Control": "no-cache"], isStored: true),
    Case(
      name: "§5.2.1.5 no-store of the request", request: request(["Cache-Control": "no-store"]),
      isStored: false),
    Case(name: "the mode no-store", mode: .noStore, isStored: false),
    Case(
      name: "§3.5 Authorization, since the cache is private", request: request(["Authorization": "x"]),
      isStored: true),
    Case(name: "§9.3.2 HEAD", request: request(method: .head), isStored: false),
    Case(
      name: "POST", headers: ["Cache-Control": "max-age=9"], request: request(method: .post), isStored: false),
    Case(name: "§3.3 206", status: 206, headers: ["Cache-Control": "max-age=9"], isStored: false),
    Case(name: "200 to a range", request: request(["Range": "bytes=0-9"]), isStored: true),
    Case(
      name: "gzip that was asked for", headers: ["Content-Encoding": "gzip"],
      request: request(["Accept-Encoding": "gzip"]), isStored: false),
    Case(
      name: "gzip to a range", headers: ["Content-Encoding": "gzip"],
      request: request(["Range": "bytes=0-9"]), isStored: false),
    Case(name: "gzip, which is decoded", headers: ["Content-Encoding": "gzip"], isStored: true),
    Case(name: "304", status: 304, headers: ["Cache-Control": "max-age=9"], isStored: false),
    Case(
      name: "412 to a condition", status: 412, headers: ["Cache-Control": "max-age=9"],
      request: request(["If-Match": "\"a\""]), isStored: false),
    Case(name: "§4.1 Vary: *", headers: ["Vary": "Accept, *"], isStored: false),
    Case(name: "RFC 9110 §15.1 404", status: 404, isStored: true),
    Case(name: "403 without a lifetime", status: 403, isStored: false),
    Case(name: "403 with one", status: 403, headers: ["Cache-Control": "max-age=9"], isStored: true),
    Case(name: "302 without a lifetime", status: 302, isStored: false),
    Case(name: "302 with one", status: 302, headers: ["Expires": dateText(60)], isStored: true),
    Case(name: "308", status: 308, isStored: true),
    Case(name: "500", status: 500, isStored: false),
    Case(name: "503 with a lifetime", status: 503, headers: ["Cache-Control": "max-age=9"], isStored: true),
    Case(name: "599 with a lifetime", status: 599, headers: ["Cache-Control": "max-age=9"], isStored: true),
    Case(
      name: "§5.2.2.3 must-understand over no-store", headers: ["Cache-Control": "must-understand, no-store"],
      isStored: true),
    Case(
      name: "§5.2.2.3 must-understand of an unknown status", status: 299,
      headers: ["Cache-Control": "must-understand, max-age=9"], isStored: false),
  ]

  @Test("storable or not", arguments: cases)
  func storable(_ item: Case) {
    let reason = HTTPCachePolicy.standard.reasonNotToStore(
      head(item.status, item.headers), for: item.request, mode: item.mode)
    #expect((reason == nil) == item.isStored, "\(reason ?? "stored")")
  }

  @Test(
    "server errors are not stored by default, whatever their fields are",
    arguments: [500, 502, 503, 504, 599])
  func serverErrors(_ status: Int) {
    let answer = head(status, ["Cache-Control": "max-age=9, public", "Expires": dateText(60)])
    for policy in [HTTPCachePolicy(), .ignoring(lifetime: .seconds(60))] {
      #expect(policy.reasonNotToStore(answer, for: request()) == "a server error")
    }
    #expect(HTTPCachePolicy.standard.reasonNotToStore(answer, for: request()) == nil)
  }

  @Test("no-store holds even where the origin's lifetimes are ignored")
  func ignoring() {
    let policy = HTTPCachePolicy.ignoring(lifetime: .seconds(1))
    #expect(policy.reasonNotToStore(head(200, ["Cache-Control": "no-store"]), for: request()) == "no-store")
  }

  @Test("fields of the connection are not stored (§3.1); a missing Date is added (RFC 9110 §6.6.1)")
  func headers() {
    let stored = HTTPCachePolicy.standard.stored(
      head(
        200,
        [
          "Connection": "X-Hop, close", "X-Hop": "1", "Keep-Alive": "5", "Transfer-Encoding": "chunked",
          "Proxy-Authenticate": "x", "Set-Cookie": "a=b", "ETag": "\"a\"",
        ]),
      for: request(), requestDate: noon, responseDate: noon)
    #expect(stored.headers.map(\.name) == ["Set-Cookie", "ETag", "Date"])
    #expect(stored.headers["Date"] == dateText())
  }

  @Test(
    "unsafe methods that succeed invalidate the responses that they may have changed",
    arguments: [
      (HTTPMethod.post, 200, 3), (.put, 204, 3), (.delete, 302, 3),
      (HTTPMethod(rawValue: "M-SEARCH"), 200, 3),
      (.post, 404, 0), (.delete, 500, 0), (.get, 200, 0), (.head, 200, 0), (.options, 200, 0),
    ])
  func invalidation(_ method: HTTPMethod, _ status: Int, _ count: Int) {
    let answer = head(status, ["Location": "/b", "Content-Location": "https://example.com/c"])
    let urls = HTTPCachePolicy.standard.invalidated(by: request(method: method), answer)
    #expect(urls.map(\.path) == ["/a", "/b", "/c"].prefix(count).map { $0 })
  }

  @Test("responses of other origins are not invalidated")
  func foreignInvalidation() {
    let answer = head(200, ["Location": "https://example.org/b", "Content-Location": "http://example.com/c"])
    let urls = HTTPCachePolicy.standard.invalidated(by: request(method: .post), answer)
    #expect(urls.map(\.absoluteString) == ["https://example.com/a"])
  }

  @Test("a key has no fragment, and credentials have a partition of their own (§7.3)")
  func keys() {
    func key(_ text: String, _ headers: HTTPHeaders = [:]) -> HTTPCacheKey {
      HTTPCacheKey(HTTPRequest(url: url(text), headers: headers))
    }
    #expect(key("https://example.com/a#x") == key("https://example.com/a"))
    #expect(key("https://example.com/a?x") != key("https://example.com/a"))
    #expect(key("https://example.com/a", ["Cookie": "a"]) != key("https://example.com/a"))
    #expect(key("https://example.com/a", ["Cookie": "a"]) != key("https://example.com/a", ["cookie": "b"]))
    #expect(key("https://example.com/a", ["Accept": "a"]) == key("https://example.com/a"))
  }

  @Test(
    "query items that are ignored are not in the key",
    arguments: [
      ("https://cdn.example.com/a?w=3&token=1&sig=2", "https://cdn.example.com/a?w=3"),
      ("https://x.cdn.example.com/a?token=1&w=3", "https://x.cdn.example.com/a?w=3"),
      ("https://cdn.example.com/a?token=1", "https://cdn.example.com/a"),
      ("https://CDN.example.com/a?Token=1#x", "https://cdn.example.com/a?Token=1"),
      ("https://example.com/a?token=1", "https://example.com/a?token=1"),
    ])
  func keyRules(_ text: String, _ expected: String) {
    let rules = ["cdn.example.com", "*.cdn.example.com"].map {
      CacheKeyRule(host: $0, droppingQueryItems: ["token", "sig"])
    }
    #expect(HTTPCacheKey(HTTPRequest(url: url(text)), rules: rules).resource == expected)
  }
}
