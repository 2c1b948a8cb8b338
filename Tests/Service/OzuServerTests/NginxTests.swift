import Foundation
import OzuImaging
import OzuTesting
import Testing

@testable import OzuServer

/// Debian's nginx with `Examples/Service/nginx.conf` in front of a real `ozu serve`. Only the paths and the ports are other
/// ones, and a request waits for an equal one as long as a busy machine needs.
@Suite(
  "Behind nginx",
  .enabled(if: RealNginx.program != nil, "nginx is not installed: scripts/install-test-tools does that"),
  .timeLimit(.minutes(10)))
struct NginxTests {
  private static let key = String(repeating: "0a", count: 32)

  private let origin: LoopbackServer
  private let service: ServeProcess
  private let nginx: RealNginx
  private let addresses: SignedAddresses

  init() async throws {
    let picture = try PatternPicture(PixelSize(64, 48)).data(as: .png)
    origin = try LoopbackServer()
    origin.routeRest { _ in
      LoopbackResponse.ok(picture, type: "image/png").header("Cache-Control", "max-age=600")
    }
    addresses = SignedAddresses(AddressRules(keys: [try AddressKey(hexKey: Self.key, salt: "0b")]))
    service = try ServeProcess(["OZU_KEYS": Self.key + ":0b"], insecure: false)
    let port = try await service.port()
    nginx = try await RealNginx { try Self.example(in: $0, upstream: "127.0.0.1:\(port)") }
  }

  private static func example(in folder: String, upstream: String) throws -> String {
    let file = Repository.url("Examples/Service/nginx.conf")
    // The lines for the playground are comments, for those who have one.
    var text = try String(contentsOf: file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false
    ).filter { !$0.contains("# playground ") }.joined(separator: "\n")
    for (old, new) in [
      ("/var/cache/nginx/ozu", folder + "/cache"), ("127.0.0.1:8080", upstream),
      ("listen 8000;", "listen unix:\(folder)/nginx.sock;"),
      ("cache_lock on;", "cache_lock on; proxy_cache_lock_timeout 1m; proxy_cache_lock_age 1m;"),
    ] {
      #expect(text.components(separatedBy: old).count == 2, "\(old)")
      text = text.replacingOccurrences(of: old, with: new)
    }
    return text
  }

  private func get(_ path: String, _ fields: String = "") async throws -> TestClient.Answer {
    let client = try TestClient(path: nginx.socket)
    client.send("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(fields)\r\n")
    return try await client.answer()
  }

  private func path(_ name: String, _ format: String? = "png") throws -> String {
    try addresses.path(of: origin.url("/\(name)"), options: "rs:fit:32:32", format: format)
  }

  @Test("a picture is requested once, and a client that has it gets 304 from nginx")
  func caching() async throws {
    // Escapes are not rewritten on the way: the signature is over these characters.
    for name in ["a.png", "b%20c.png?d=e/f"] {
      let path = try path(name)
      let first = try await get(path)
      #expect(first.status == 200 && first.headers["X-Cache"] == "MISS", "\(first.headers)")
      let number = first.headers["X-Request-Id"]
      let second = try await get(path)
      #expect(second.headers["X-Cache"] == "HIT" && second.body == first.body)
      #expect(number?.utf8.count == 32 && second.headers["X-Request-Id"] != number)
      let tag = try #require(first.headers["ETag"])
      let third = try await get(path, "If-None-Match: \(tag)\r\n")
      #expect(third.status == 304 && third.headers["X-Cache"] == "HIT" && third.body.isEmpty)
    }
    #expect(origin.requestCount == 2)
    #expect(try await get(path("a.png") + "x").status == 403)
    kill(service.process.processIdentifier, SIGKILL)
    #expect(try await get(path("a.png")).headers["X-Cache"] == "HIT")
  }

  @Test("a format that the client chooses is cached for clients with the same choice")
  func variants() async throws {
    let path = try path("a.png", nil)
    for state in ["MISS", "HIT"] {
      for accept in ["image/webp,*/*", "image/*"] {
        let answer = try await get(path, "Accept: \(accept)\r\n")
        #expect((answer.headers["Content-Type"] == "image/webp") == accept.contains("webp"))
        #expect(answer.headers["X-Cache"] == state && answer.headers["Vary"]?.contains("Accept") == true)
      }
    }
  }

  /// The number of files in nginx's cache.
  private var storedCount: Int {
    let files = FileManager.default.enumerator(atPath: nginx.folder.path + "/cache")
    return files?.compactMap { $0 as? String }.count { $0.split(separator: "/").count == 3 } ?? 0
  }

  @Test(
    "strangers cannot fill the cache: neither with addresses that they invent, nor with fields for one address"
  )
  func strangers() async throws {
    let path = try path("a.png", nil)
    for number in 0..<20 {
      #expect(try await get("/bad\(number)\(path)").status == 403)
      #expect(try await get("/bad\(number)").status == 404)
      #expect(try await get(path + "?\(number)").status == 404)
      #expect(try await get(path, "Accept: image/webp;q=0.\(number + 1),*/*\r\n").status == 200)
      #expect(try await get(path, "Accept: text/\(number)\r\nDPR: \(number)\r\n").status == 200)
    }
    // The two formats that were asked for.
    #expect(storedCount == 2)
    #expect(origin.requestCount == 2)
  }

  @Test("metrics are hidden from clients, and bodies are not forwarded")
  func refusals() async throws {
    #expect(try await get("/metrics").status == 403)
    #expect(try await get("/health").status == 200)
    let client = try TestClient(path: nginx.socket)
    client.send(
      "POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 28\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n\r\n")
    #expect(try await client.answer().status == 413)
    #expect(try await service.metric("ozu_requests_under_way") == 1)
  }

  @Test("many requests at once for a picture that is not cached cause one exchange with the origin")
  func stampede() async throws {
    // The first picture starts the decoding processes.
    _ = try await get(path("warm.png"))
    let cold = try path("cold.png")
    let states = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<48 {
        group.addTask {
          let answer = try await get(cold)
          #expect(answer.status == 200)
          return answer.headers["X-Cache"] ?? ""
        }
      }
      return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
    #expect(origin.requestCount(for: "/cold.png") == 1)
    #expect(states == ["MISS": 1, "HIT": 47])
  }
}
