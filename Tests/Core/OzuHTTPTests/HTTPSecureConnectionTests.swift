#if os(Linux)
  import Foundation
  import OzuBase
  import Testing

  @testable import OzuHTTP

  @Suite("Secure connections", .timeLimit(.minutes(15)), .enabled(if: SecureServer.isAvailable))
  struct HTTPSecureConnectionTests {
    private func client(trusting path: String?) -> CurlClient {
      directClient { $0.certificateAuthorities = path.map { .file(path: $0) } ?? .system }
    }

    @Test("an authority from a file is trusted instead of the system's")
    func ownAuthority() async throws {
      let server = try await SecureServer()
      defer { server.stop() }
      let (body, response) = try await client(trusting: server.certificate).data(from: server.url)
      #expect(response.status == 200)
      #expect(String(decoding: body, as: UTF8.self).contains("s_server"))
      #expect(response.metrics.tls > .zero)
    }

    @Test("HTTP/2 is used if the server supports it: requests at the same time share one connection")
    func multiplexing() async throws {
      let server = try await SecureServer(["-alpn", "h2"])
      defer { server.stop() }
      // The server takes one connection at a time, and answers only after three requests on it.
      let streams = Mutex<[UInt8]>([])
      server.speakHTTP2 { stream in
        let all = streams.withLock { streams in
          streams.append(stream)
          return streams
        }
        guard all.count == 3 else { return }
        for stream in all.reversed() { server.send(SecureServer.frames(stream: stream, "stream \(stream)")) }
      }
      let client = client(trusting: server.certificate)
      try await withThrowingTaskGroup(of: String.self) { group in
        for number in 0..<3 {
          let url = server.url.appending(path: "\(number)")
          group.addTask {
            let (body, response) = try await client.data(from: url)
            #expect(response.version == .http2)
            return String(decoding: body, as: UTF8.self)
          }
        }
        var bodies: Set<String> = []
        for try await body in group { bodies.insert(body) }
        #expect(bodies == ["stream 1", "stream 3", "stream 5"])
      }
    }

    @Test("a certificate of an unknown issuer, or for another name, is refused")
    func untrusted() async throws {
      let server = try await SecureServer()
      defer { server.stop() }
      let other = try await SecureServer()
      defer { other.stop() }
      let request = HTTPRequest(url: server.url)
      for path in [nil, other.certificate, "/nonexistent.pem"] {
        let reason = await failure(of: request, by: client(trusting: path))
        if case .tlsFailed? = reason {} else { Issue.record("\(String(describing: reason))") }
      }
      var named = request
      named.url = try #require(URL(string: "https://localhost:\(server.port)/"))
      let reason = await failure(of: named, by: client(trusting: server.certificate))
      if case .tlsFailed? = reason {} else { Issue.record("\(String(describing: reason))") }
    }
  }
#endif
