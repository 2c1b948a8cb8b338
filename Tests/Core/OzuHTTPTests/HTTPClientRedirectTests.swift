import OzuBase
import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("Redirects over the wire", .timeLimit(.minutes(15)))
struct HTTPClientRedirectTests {
  private let server: LoopbackServer
  private let client = directClient()

  init() throws {
    server = try LoopbackServer()
    server.route("/end", .ok(Data("end".utf8)))
  }

  @Test("redirects are followed and the response names the last URL", arguments: [301, 302, 303, 307, 308])
  func followed(status: Int) async throws {
    server.route("/a", .redirect(to: "/b", status: status))
    server.route("/b", .redirect(to: server.url("/end").absoluteString, status: status))
    let sink = RecordingSink()
    let response = try await client.send(HTTPRequest(url: server.url("/a"), timeouts: .patient), into: sink)
    #expect(response.status == 200)
    #expect(response.url == server.url("/end"))
    #expect(sink.heads.count == 1)
    #expect(sink.body == Data("end".utf8))
    #expect(server.connectionCount == 1)
  }

  @Test("the manual policy delivers the redirect with its body")
  func manual() async throws {
    server.route("/a", LoopbackResponse(status: 302, headers: ["Location": "/end"], body: Data("moved".utf8)))
    let (body, response) = try await client.data(
      for: HTTPRequest(url: server.url("/a"), redirectPolicy: .manual))
    #expect(response.status == 302)
    #expect(response.headers["Location"] == "/end")
    #expect(body == Data("moved".utf8))
    #expect(server.requestCount(for: "/end") == 0)
  }

  @Test("a loop ends at the limit", arguments: [0, 1, 10])
  func loop(limit: Int) async {
    server.route("/a", .redirect(to: "/a"))
    let request = HTTPRequest(url: server.url("/a"), redirectPolicy: .follow(maximum: limit))
    #expect(await failure(of: request, by: client) == .tooManyRedirects(limit: limit))
    #expect(server.requestCount(for: "/a") == limit + 1)
  }

  @Test(
    "other schemes are refused",
    arguments: ["file:///etc/passwd", "gopher://127.0.0.1/1", "ftp://127.0.0.1/"])
  func schemes(location: String) async {
    server.route("/a", .redirect(to: location))
    #expect(
      await failure(of: HTTPRequest(url: server.url("/a"), timeouts: .patient), by: client)
        == .redirectRefused(location: location))
  }

  @Test("the error of a later hop names that hop")
  func laterHop() async throws {
    server.route("/a", .redirect(to: "/b"))
    server.route("/b", .noAnswer())
    let error = await #expect(throws: HTTPError.self) { try await client.data(from: server.url("/a")) }
    #expect(error == HTTPError(.connectionLost, url: server.url("/b")))
  }

  @Test("a redirect's own body is dropped, even one without end")
  func endlessRedirect() async throws {
    var response = LoopbackResponse.endless(repeating: Data(count: 10_000))
    response.status = 302
    response.headers["Location"] = "/end"
    server.route("/a", response)
    let (body, _) = try await client.data(
      for: HTTPRequest(url: server.url("/a"), maximumBodyByteCount: 100))
    #expect(body == Data("end".utf8))
  }

  @Test("a POST becomes a GET after 302, and stays a POST with its body after 307", arguments: [302, 307])
  func post(status: Int) async throws {
    server.route("/a", .redirect(to: "/end", status: status))
    let body = patternedBytes(1000)
    _ = try await client.data(for: HTTPRequest(url: server.url("/a"), method: .post, body: body))
    let last = try #require(server.requests.last)
    #expect(last.method == (status == 302 ? "GET" : "POST"))
    #expect(last.body == (status == 302 ? Data() : body))
  }

  @Test(
    "credentials are sent only to the host that they were given for", arguments: ["127.0.0.1", "localhost"])
  func credentials(host: String) async throws {
    server.route("/a", .redirect(to: server.url("/b", host: host).absoluteString))
    server.route("/b", .redirect(to: server.url("/end").absoluteString))
    let headers: HTTPHeaders = ["Authorization": "Bearer x", "Cookie": "a=b", "X-Trace": "1"]
    _ = try await client.data(for: HTTPRequest(url: server.url("/a"), headers: headers))
    let isSame = host == "127.0.0.1"
    #expect(server.requests.map { $0.headers["Authorization"] != nil } == [true, isSame, isSame])
    #expect(server.requests.map { $0.headers["Cookie"] != nil } == [true, isSame, isSame])
    #expect(server.requests.allSatisfy { $0.headers["X-Trace"] == "1" })
  }

  @Test("no request to another origin is signed")
  func signature() async throws {
    let other = try LoopbackServer()
    other.route("/end", .ok(Data()))
    server.route("/a", .redirect(to: "/b"))
    server.route("/b", .redirect(to: other.url("/end").absoluteString))
    var request = HTTPRequest(url: server.url("/a"), timeouts: .patient)
    request.signature = AWSSignature(accessKey: "a", secretKey: "b", region: "c", service: "s3")
    _ = try await client.data(for: request)
    #expect(server.requests.allSatisfy { $0.headers["Authorization"]?.hasPrefix("AWS4") == true })
    #expect(other.requests.map { $0.headers["Authorization"] } == [nil])
    #expect(other.requests.map { $0.headers["X-Amz-Date"] } == [nil])
  }

  @Test("credentials are sent only to the port that they were given for")
  func otherPort() async throws {
    let other = try LoopbackServer()
    other.route("/end", .ok(Data()))
    server.route("/a", .redirect(to: other.url("/end").absoluteString))
    _ = try await client.data(
      for: HTTPRequest(url: server.url("/a"), headers: ["Authorization": "Bearer x"]))
    #expect(server.requests.first?.headers["Authorization"] == "Bearer x")
    #expect(other.requests.map { $0.headers["Authorization"] } == [nil])
  }
}
