import OzuBase
import Testing

@testable import OzuHTTP

@Suite("HTTP requests")
struct HTTPRequestTests {
  @Test(
    "only http and https are sent",
    arguments: ["file:///etc/passwd", "ftp://h/a", "gopher://h/a", "data:,a", "javascript:1"])
  func schemes(text: String) throws {
    let address = url(text)
    let scheme = try #require(address.scheme)
    #expect(throws: HTTPError(.unsupportedScheme(scheme), url: address)) {
      try HTTPRequest(url: address).validatedOrigin()
    }
  }

  @Test("a URL needs a scheme and a host", arguments: ["a/b", "/a", "http:///a", "http:a"])
  func invalidURLs(text: String) {
    let address = url(text)
    #expect(throws: HTTPError(.invalidURL, url: address)) {
      try HTTPRequest(url: address).validatedOrigin()
    }
  }

  @Test(
    "a request with line breaks or invalid characters is refused",
    arguments: [
      ("GET", "X", "a\r\nY: b"), ("GET", "X", "a\nb"), ("GET", "X", "a\0"), ("GET", "X Y", "a"),
      ("GET", "", "a"), ("GET", "X:", "a"), ("GE T", "X", "a"), ("", "X", "a"), ("G\r\nX", "X", "a"),
    ])
  func injection(method: String, name: String, value: String) throws {
    let request = HTTPRequest(
      url: url("http://h/"), method: HTTPMethod(rawValue: method), headers: [name: value])
    let error = #expect(throws: HTTPError.self) { try request.validatedOrigin() }
    guard case .invalidRequest = try #require(error).reason else {
      Issue.record("refused as \(error?.reason as Any)")
      return
    }
  }

  @Test("a request whose URL and fields are longer than an origin accepts is refused")
  func length() throws {
    let long = String(repeating: "a", count: HTTPRequest.maximumHeadByteCount)
    for request in [
      HTTPRequest(url: url("http://h/\(long)")), HTTPRequest(url: url("http://h/"), headers: ["A": long]),
    ] {
      let error = #expect(throws: HTTPError.self) { try request.validatedOrigin() }
      #expect(error?.reason == .invalidRequest("its URL and fields have more than 262144 bytes"))
    }
  }

  @Test(
    "an origin is scheme, host in any case, and port with its default",
    arguments: [
      ("http://A.example/x", "http://a.example:80/y", true),
      ("https://a.example/", "https://a.example:443/", true),
      ("http://a.example/", "https://a.example/", false),
      ("http://a.example/", "http://a.example:8080/", false),
      ("http://a.example/", "http://b.example/", false),
    ])
  func origins(a: String, b: String, isSame: Bool) throws {
    #expect(try (HTTPOrigin(of: url(a)) == HTTPOrigin(of: url(b))) == isSame)
  }

  @Test("fields of the connection are set by the transport")
  func connectionFields() {
    let request = HTTPRequest(
      url: url("http://h/"), headers: ["Accept": "a", "connection": "close", "Content-Length": "9", "X": "b"])
    #expect(request.endToEndHeaders.map(\.name) == ["Accept", "X"])
  }

  @Test(
    "a Range or Accept-Encoding of the request turns decoding off", arguments: ["Range", "accept-encoding"])
  func decoding(name: String) {
    #expect(HTTPRequest(url: url("http://h/")).allowsContentDecoding)
    #expect(!HTTPRequest(url: url("http://h/"), headers: [name: "x"]).allowsContentDecoding)
  }
}

@Suite("HTTP response heads")
struct HTTPResponseHeadTests {
  @Test(
    "Content-Length counts when it is one number",
    arguments: [
      (["12"], 12), (["0"], 0), (["12", "12"], 12), (["12, 12"], 12), (["12", "13"], nil), (["-1"], nil),
      (["+1"], nil), (["1.5"], nil), ([""], nil), ([], nil), (["99999999999999999999"], nil),
    ] as [([String], Int?)])
  func contentLength(values: [String], length: Int?) {
    var head = HTTPResponseHead(status: 200, url: url("http://h/"))
    for value in values { head.headers.add(name: "content-length", value: value) }
    #expect(head.contentLength == length)
  }

  @Test(
    "a content coding makes the decoded length unknown",
    arguments: [(nil, 5), ("", 5), ("identity", 5), ("gzip", nil), ("br", nil)] as [(String?, Int?)])
  func expected(coding: String?, length: Int?) {
    var head = HTTPResponseHead(status: 200, headers: ["Content-Length": "5"], url: url("http://h/"))
    head.headers["Content-Encoding"] = coding
    #expect(head.expectedByteCount == length)
  }
}

@Suite("HTTP errors")
struct HTTPErrorTests {
  @Test(
    "the message names the URL without its secrets",
    arguments: [
      .connectionLost, .timedOut(.idle), .timedOut(.total), .bodyTooLarge(limit: 5), .cancelled, .invalidURL,
      .bodyTruncated(received: 1, expected: 2), .bodyTruncated(received: 1, expected: nil),
      .protocolError("x"), .refused("x"), .other(code: 1, message: "x"), .tooManyRedirects(limit: 1),
      .redirectRefused(location: "x"), .redirectRefused(location: "ftp://u:secret@h/?token=secret"),
      .redirectRefused(location: "//u:secret@h"), .redirectRefused(location: "/a?secret"),
      .redirectRefused(location: "mailto:secret@h"), .invalidRequest("x"), .unsupportedScheme("x"),
      .connectionRefused,
    ] as [HTTPError.Reason])
  func message(reason: HTTPError.Reason) {
    let error = HTTPError(reason, url: url("http://me:secret@host.example:81/a%20b?token=secret#secret"))
    #expect(error.message.contains("http://host.example:81/a%20b"))
    #expect(!error.message.contains("secret"))
    #expect(!error.message.contains("\n"))
  }

  @Test(
    "errors before a connection name the host",
    arguments: [
      .nameNotResolved, .connectionFailed("x"), .tlsFailed("x"), .timedOut(.connect),
    ] as [HTTPError.Reason])
  func host(reason: HTTPError.Reason) {
    #expect(HTTPError(reason, url: url("https://host.example/a")).message.contains("host.example"))
  }
}
