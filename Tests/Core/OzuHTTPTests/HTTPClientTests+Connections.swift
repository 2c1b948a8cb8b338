import OzuBase
import OzuTesting
import Testing

@testable import OzuHTTP

extension HTTPClientTests {
  #if os(Linux)
    @Test("programs that the process starts inherit no socket of a client")
    func inheritedSockets() async throws {
      server.route("/a", .ok(Data(count: 10)))
      // The program that runs the tests may leave some of its own.
      let former = Set(Self.inheritedPairEnds())
      let clients = (0..<3).map { _ in directClient() }
      for client in clients { _ = try await client.data(from: server.url("/a")) }
      // For some microseconds a client of another test may have one.
      try await eventually(former.isSuperset(of: Self.inheritedPairEnds()))
      withExtendedLifetime(clients) {}
    }

    /// The Unix sockets without a name that a started program would have too.
    private static func inheritedPairEnds() -> [CInt] {
      (0..<1024).filter { descriptor in
        let flags = fcntl(descriptor, F_GETFD)
        var name = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let hasAddress = withUnsafeMutableBytes(of: &name) {
          // The bytes are a sockaddr_un, whose beginning is a sockaddr.
          getsockname(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress!, &length) == 0
        }
        let isPairEnd = hasAddress && name.sun_family == AF_UNIX && length == 2
        return isPairEnd && flags >= 0 && flags & FD_CLOEXEC == 0
      }
    }
  #endif

  @Test("no host gets more connections than allowed, and all requests are answered")
  func connectionBound() async throws {
    let client = directClient { $0.maximumConnectionsPerHost = 3 }
    let gate = Gate()
    server.route("/a", .ok(Data(count: 10)).held(by: gate))
    let address = server.url("/a")
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 { group.addTask { try await client.data(from: address).body.count } }
      await gate.arrivals(3)
      #expect(server.inFlightCount == 3)
      gate.open()
      var sum = 0
      for try await count in group { sum += count }
      #expect(sum == 200)
    }
    #expect(server.connectionCount == 3)
  }

  @Test("waiting requests start by priority")
  func priority() async throws {
    let client = directClient { $0.maximumConcurrentRequests = 1 }
    let gate = Gate()
    server.route("/first", .ok(Data()).held(by: gate))
    for priority in HTTPPriority.allCases { server.route("/\(priority)", .ok(Data())) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      let first = HTTPRequest(url: server.url("/first"), timeouts: .patient)
      group.addTask { _ = try await client.data(for: first) }
      await gate.arrivals(1)
      for priority in HTTPPriority.allCases {
        let request = HTTPRequest(url: server.url("/\(priority)"), priority: priority)
        group.addTask { _ = try await client.data(for: request) }
      }
      try await eventually(client.statistics.waitingRequestCount >= 5)
      gate.open()
      try await group.waitForAll()
    }
    #expect(
      server.requests.dropFirst().map(\.path) == ["/veryHigh", "/high", "/normal", "/low", "/veryLow"])
  }

  @Test("IPv6", .enabled(if: (try? LoopbackServer(isIPv6: true)) != nil))
  func ipv6() async throws {
    let server = try LoopbackServer(isIPv6: true)
    server.route("/a", .ok(Data("six".utf8)))
    #expect(server.url("/a").absoluteString == "http://[::1]:\(server.port)/a")
    #expect(try await client.data(from: server.url("/a")).body == Data("six".utf8))
  }

  @Test("a thousand requests leave no more memory and descriptors behind than a few")
  func many() async throws {
    let client = directClient()
    let url = server.url("/a")
    server.route("/a", .ok(patternedBytes(2000)))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          for _ in 0..<50 { #expect((try? await client.data(from: url))?.body.count == 2000) }
        }
      }
    }
    #expect(server.requestCount == 1000)
    #expect(server.connectionCount <= client.configuration.maximumConnectionsPerHost)
    #expect(client.statistics == HTTPClientStatistics())
    await client.shutdown()
    await server.allConnectionsClosed()
  }

  #if os(Linux)
    @Test("the proxy of the environment is used, unless that is switched off")
    func environmentProxy() async {
      // In its own process, because it changes the environment.
      await #expect(processExitsWith: .success) {
        let proxy = try LoopbackServer()
        proxy.routeRest { _ in .ok(Data("proxy".utf8)) }
        let origin = try LoopbackServer()
        origin.route("/a", .ok(Data("origin".utf8)))
        for name in ["no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY"] { unsetenv(name) }
        setenv("http_proxy", proxy.url("").absoluteString, 1)
        let byProxy = try await CurlClient().data(from: origin.url("/a")).body
        #expect(String(decoding: byProxy, as: UTF8.self) == "proxy")
        let direct = try await directClient().data(from: origin.url("/a")).body
        #expect(String(decoding: direct, as: UTF8.self) == "origin")
      }
    }
  #endif

  @Test("a client with its own proxy sends it the absolute URL")
  func proxy() async throws {
    server.routeRest { request in .ok(Data((request.headers["Host"] ?? "").utf8)) }
    let proxied = directClient { $0.proxy = .url(server.url("")) }
    let (body, _) = try await proxied.data(from: url("http://some.invalid/a"))
    #expect(String(decoding: body, as: UTF8.self) == "some.invalid")
  }

  @Test("metrics add up")
  func metrics() async throws {
    server.route("/b", .redirect(to: "/a"))
    server.route("/a", .ok(Data(count: 100)))
    let metrics = try await client.data(from: server.url("/b")).response.metrics
    #expect(metrics.redirectCount == 1)
    #expect(metrics.isConnectionReused)
    #expect(metrics.firstByte > .zero)
    #expect(metrics.total >= metrics.firstByte)
    #expect(metrics.tls == .zero)
  }
}
