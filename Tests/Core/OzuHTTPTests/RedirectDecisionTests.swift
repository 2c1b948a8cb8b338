import OzuBase
import Testing

@testable import OzuHTTP

@Suite("Redirect decisions")
struct RedirectDecisionTests {
  private func decide(
    _ status: Int, from: String = "https://a.example/x/y", to location: String?, count: Int = 0,
    _ change: (inout HTTPRequest) -> Void = { _ in }
  ) -> RedirectDecision {
    var request = HTTPRequest(url: url(from))
    change(&request)
    return RedirectDecision(status: status, location: location, of: request, afterRedirects: count)
  }

  private func next(_ decision: RedirectDecision) throws -> HTTPRequest {
    guard case .follow(let request) = decision else {
      throw HTTPError(.protocolError("not followed: \(decision)"))
    }
    return request
  }

  @Test(
    "a signature stays with its origin",
    arguments: [
      ("/z", true), ("https://a.example:443/z", true), ("https://b.example/z", false),
      ("https://a.example:444/z", false),
    ])
  func signature(location: String, isKept: Bool) throws {
    let signature = AWSSignature(accessKey: "a", secretKey: "b", region: "c", service: "s3")
    let next = try next(decide(307, to: location) { $0.signature = signature })
    #expect(next.signature == (isKept ? signature : nil))
  }

  @Test("escapes in Location stay as they are")
  func escapes() throws {
    let next = try next(decide(302, to: "/caf%C3%A9 au lait.png?sig=a%2Bb&x={1}"))
    #expect(next.url.absoluteString == "https://a.example/caf%C3%A9%20au%20lait.png?sig=a%2Bb&x=%7B1%7D")
  }

  @Test("other statuses are delivered", arguments: [200, 204, 300, 304, 305, 306, 400, 500])
  func delivered(status: Int) {
    #expect(decide(status, to: "/z") == .deliver)
  }

  @Test("a redirect without Location, or under the manual policy, is delivered")
  func notFollowed() {
    #expect(decide(302, to: nil) == .deliver)
    #expect(decide(302, to: "/z") { $0.redirectPolicy = .manual } == .deliver)
  }

  @Test(
    "Location is resolved against the request's URL",
    arguments: [
      ("z", "https://a.example/x/z"), ("/z", "https://a.example/z"), ("../z?q", "https://a.example/z?q"),
      ("//b.example/z", "https://b.example/z"), ("https://b.example", "https://b.example"),
      ("?q=1", "https://a.example/x/y?q=1"), ("/a b", "https://a.example/a%20b"),
    ])
  func resolved(location: String, result: String) throws {
    #expect(try next(decide(302, to: location)).url.absoluteString == result)
  }

  @Test(
    "a downgrade, another scheme or nonsense is refused",
    arguments: [
      "http://a.example/z", "HTTP://a.example/z", "file:///etc/passwd", "ftp://a.example/", "gopher://a/1",
      "data:,x", "https://", "http:///x",
    ])
  func refused(location: String) {
    #expect(decide(302, to: location) == .refuse(.redirectRefused(location: location)))
  }

  @Test("an upgrade is followed")
  func upgrade() throws {
    #expect(try next(decide(301, from: "http://a.example/", to: "https://a.example/")).url.scheme == "https")
  }

  @Test("the limit counts redirects followed", arguments: [(0, false), (2, false), (3, true), (9, true)])
  func limit(count: Int, isRefused: Bool) {
    let decision = decide(302, to: "/z", count: count) { $0.redirectPolicy = .follow(maximum: 3) }
    #expect((decision == .refuse(.tooManyRedirects(limit: 3))) == isRefused)
  }

  @Test(
    "methods change as browsers change them",
    arguments: [
      (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"),
      (308, "POST", "POST"), (301, "PUT", "PUT"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"),
      (302, "HEAD", "HEAD"), (302, "GET", "GET"),
    ])
  func methods(status: Int, before: String, after: String) throws {
    let request = try next(
      decide(status, to: "/z") {
        $0.method = HTTPMethod(rawValue: before)
        $0.headers = ["Content-Type": "text/plain", "Accept": "a"]
        $0.body = Data("x".utf8)
      })
    #expect(request.method.rawValue == after)
    #expect((request.body == nil) == (before != after))
    #expect(request.headers.contains(name: "Content-Type") == (before == after))
    #expect(request.headers["Accept"] == "a")
  }

  @Test(
    "credentials stay at their origin",
    arguments: [
      ("https://a.example/z", true), ("https://a.example:443/z", true), ("https://b.example/z", false),
      ("https://a.example:444/z", false), ("https://sub.a.example/z", false),
    ], ["Authorization", "cookie", "Proxy-Authorization", "Host"])
  func credentials(target: (location: String, isKept: Bool), name: String) throws {
    let request = try next(decide(307, to: target.location) { $0.headers = [name: "secret", "X": "y"] })
    #expect(request.headers.contains(name: name) == target.isKept)
    #expect(request.headers["X"] == "y")
  }
}
