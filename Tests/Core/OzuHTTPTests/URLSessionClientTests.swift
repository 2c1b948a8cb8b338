#if canImport(Darwin)
  import Foundation
  import OzuTesting
  import Testing

  @testable import OzuHTTP

  @Suite("The client on Apple platforms", .timeLimit(.minutes(15)))
  struct URLSessionClientTests {
    @Test(
      "a session of the app's own sends its cookies and header fields, the client's has none",
      arguments: [true, false])
    func ownSession(isOwn: Bool) async throws {
      let server = try LoopbackServer()
      server.route("/a", LoopbackResponse.ok(Data()).header("Set-Cookie", "a=b; Path=/"))
      let own = URLSessionConfiguration.ephemeral
      own.httpAdditionalHeaders = ["X-App": "c"]
      var configuration = HTTPClientConfiguration()
      configuration.proxy = .none
      let client = URLSessionClient(configuration: configuration, session: isOwn ? own : nil)
      for _ in 0..<2 { _ = try await client.data(from: server.url("/a")) }
      let last = try #require(server.requests.last)
      #expect(last.headers["Cookie"] == (isOwn ? "a=b" : nil))
      #expect(last.headers["X-App"] == (isOwn ? "c" : nil))
      #expect(last.headers["User-Agent"] == "Ozu")
    }

    @Test("a server that the app refuses is a failure and no cancellation")
    func refusal() async throws {
      let server = try LoopbackServer()
      server.route("/a", .status(401, headers: ["WWW-Authenticate": "Basic realm=\"a\""]))
      let client = URLSessionClient(challenge: { _ in (.cancelAuthenticationChallenge, nil) })
      let error = await #expect(throws: HTTPError.self) {
        try await client.data(from: server.url("/a"))
      }
      #expect(error?.reason != .cancelled)
    }

    @Test("a range is asked for without content codings")
    func range() async throws {
      let server = try LoopbackServer()
      server.route("/a", .ok(Data()))
      let request = HTTPRequest(url: server.url("/a"), headers: ["Range": "bytes=5-"])
      _ = try await URLSessionClient.shared.data(for: request)
      #expect(server.requests.last?.headers["Accept-Encoding"] == "identity")
    }

    @Test("a response of several parts, each of which the session gives as a response, is refused")
    func severalParts() async throws {
      let server = try LoopbackServer()
      let part = "--a\r\nContent-Type: image/png\r\n\r\nbytes\r\n"
      server.route(
        "/a", .ok(Data((part + part + "--a--\r\n").utf8), type: "multipart/x-mixed-replace; boundary=a"))
      let error = await #expect(throws: HTTPError.self) {
        try await URLSessionClient.shared.data(from: server.url("/a"))
      }
      #expect(error?.reason == .protocolError("the response has several parts"))
    }
  }
#endif
