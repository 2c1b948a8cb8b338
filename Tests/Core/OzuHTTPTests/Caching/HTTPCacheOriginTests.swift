import OzuBase
import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("A cache and an origin that misbehaves, over real sockets")
struct HTTPCacheOriginTests {
  private let server: LoopbackServer
  private let storage = InMemoryHTTPCacheStorage()
  private let cache: HTTPCache

  init() throws {
    server = try LoopbackServer()
    var configuration = HTTPCacheConfiguration()
    configuration.keepsErrorBodies = false
    cache = HTTPCache(client: directClient(), storage: storage, configuration: configuration)
  }

  private func reason(_ path: String, _ change: (inout HTTPRequest) -> Void = { _ in }) async -> HTTPError
    .Reason?
  {
    var request = HTTPRequest(url: server.url(path), timeouts: .patient)
    change(&request)
    do throws(HTTPError) {
      _ = try await cache.response(for: request)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test("a transfer that breaks off or never ends gives its own error, and nothing is stored")
  func broken() async {
    let body = patternedBytes(50_000)
    server.route("/short", LoopbackResponse.ok(body).closing(afterByteCount: 100))
    server.route("/reset", .noAnswer(isReset: true))
    server.route("/endless", .endless(repeating: body))
    server.route("/lies", LoopbackResponse.ok(body).declaring(byteCount: 60_000))
    #expect(await reason("/short") == .bodyTruncated(received: 100, expected: 50_000))
    #expect(await reason("/reset") == .connectionLost)
    #expect(
      await reason("/endless") { $0.maximumBodyByteCount = 100_000 } == .bodyTooLarge(limit: 100_000))
    #expect(await reason("/lies") == .bodyTruncated(received: 50_000, expected: 60_000))
    #expect(storage.byteCount == 0)
  }

  @Test("redirects: a loop ends, a chain is followed as far as allowed")
  func redirects() async throws {
    server.route("/loop", .redirect(to: "/loop"))
    server.route("/one", .redirect(to: "/two"))
    server.route("/two", .redirect(to: "/end"))
    server.route("/end", .ok(Data("end".utf8)))
    server.route("/file", .redirect(to: "file:///etc/passwd"))
    #expect(await reason("/loop") == .tooManyRedirects(limit: 10))
    #expect(server.requestCount(for: "/loop") == 11)
    #expect(await reason("/one") { $0.redirectPolicy = .follow(maximum: 1) } == .tooManyRedirects(limit: 1))
    #expect(await reason("/one") == nil)
    #expect(await reason("/file") == .redirectRefused(location: "file:///etc/passwd"))
  }

  @Test("credentials do not follow a redirect to another host")
  func credentials() async throws {
    server.route("/a", .redirect(to: server.url("/b", host: "localhost").absoluteString))
    server.route("/b", .ok(Data()))
    let secrets: HTTPHeaders = ["Authorization": "secret", "Cookie": "a=b", "X-A": "1"]
    _ = try await cache.response(
      for: HTTPRequest(url: server.url("/a"), headers: secrets, timeouts: .patient))
    #expect(server.requests(for: "/a").first?.headers["Authorization"] == "secret")
    #expect(server.requests(for: "/a").first?.headers["Cookie"] == "a=b")
    let second = try #require(server.requests(for: "/b").first)
    #expect(!second.headers.contains(name: "Authorization"))
    #expect(!second.headers.contains(name: "Cookie"))
    #expect(second.headers["X-A"] == "1")
  }

  @Test("an endless error page is cut off, and its status is the answer")
  func errorPage() async throws {
    var page = LoopbackResponse.endless(repeating: patternedBytes(10_000))
    page.status = 404
    server.route("/page", page)
    let answer = try await cache.response(for: HTTPRequest(url: server.url("/page"), timeouts: .patient))
    #expect(answer.status == 404)
    #expect(answer.body.isEmpty)
  }

  @Test("while an origin is down a stale answer is served; when it is back, it answers again")
  func outage() async throws {
    let clock = ManualClock(date: Date())
    var configuration = HTTPCacheConfiguration()
    configuration.currentDate = clock.date
    let cache = HTTPCache(client: directClient(), storage: storage, configuration: configuration)
    let fresh = LoopbackResponse.ok(Data("one".utf8)).header("Cache-Control", "max-age=10")
    server.route("/a", fresh)
    let request = HTTPRequest(url: server.url("/a"), timeouts: .patient)
    _ = try await cache.response(for: request)
    clock.advance(by: .seconds(20))
    // For the whole time: libcurl itself may try again if an idle connection breaks.
    server.route("/a", .noAnswer())
    #expect(try await cache.response(for: request).decision.place == .stale)
    server.route("/a", .ok(Data("two".utf8)))
    #expect(try await cache.response(for: request).body == Data("two".utf8))
  }

  @Test("hundreds of requests that are cancelled at random end once each, and stored answers are whole")
  func cancels() async throws {
    let body = patternedBytes(120_000)
    server.routeRest { request in
      let first = request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
      var response = LoopbackResponse(
        status: first > 0 ? 206 : 200, headers: ["ETag": "\"1\"", "Cache-Control": "max-age=600"],
        body: body.dropFirst(first))
      if first > 0 { response.headers["Content-Range"] = "bytes \(first)-119999/120000" }
      return response
    }
    let (cache, server) = (cache, server)
    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<300 {
        group.addTask {
          let request = HTTPRequest(url: server.url("/\(number % 40)"), timeouts: .patient)
          let limit = number * 7919 % 200_000
          let task = Task { try await cache.response(for: request).body }
          if limit < 100_000 { Task { task.cancel() } }
          guard let got = try? await task.value else { return true }
          return got == body
        }
      }
      return await group.reduce(into: [Bool]()) { $0.append($1) }
    }
    #expect(outcomes.count == 300)
    #expect(outcomes.allSatisfy { $0 })
    for number in 0..<40 {
      #expect(
        try await cache.response(for: HTTPRequest(url: server.url("/\(number)"), timeouts: .patient)).body
          == body)
    }
  }
}
