import Foundation
import OzuBase
import OzuTesting
import Testing

@testable import OzuCLI

@Suite struct FetchCommandTests {
  private let server: LoopbackServer
  private let folder: Folder

  init() throws {
    server = try .forFetch()
    folder = try Folder()
  }

  @Test("bytes on standard output, the decision on standard error; the next run has them from the cache")
  func urls() async throws {
    let address = server.url("/fresh").absoluteString
    let cold = await CommandRun("fetch", address, "-v", "--cache", folder.path("cache"))
    #expect(cold.status == .done, "\(cold.errors)")
    #expect(cold.output == "one")
    #expect(cold.errors.contains("\(address): 200 from network (not stored)"))
    let warm = await CommandRun("fetch", "-v", address, address, "--cache", folder.path("cache"))
    #expect(warm.output == "oneone")
    #expect(warm.errors.contains("200 from cache (fresh for 3d 1h)"))
    let forced = await CommandRun(
      "fetch", "-v", address, "--mode", "no-cache", "--cache", folder.path("cache"))
    #expect(forced.errors.contains("200 from network (validation was asked for, sent again unchanged)"))
    #expect(server.requestCount == 2)
  }

  @Test("fetch does what explain says, also for an answer without any cache fields")
  func sameRules() async throws {
    server.route("/plain", .ok(Data("three".utf8)))
    let address = server.url("/plain").absoluteString
    let cache = folder.path("cache")
    _ = await CommandRun("fetch", address, "--cache", cache)
    let explained = await CommandRun("explain", address, "--cache", cache)
    #expect(explained.output.contains("would serve what is stored: fresh for"))
    let fetched = await CommandRun("fetch", "-v", address, "--cache", cache)
    #expect(fetched.errors.contains("200 from cache (fresh for"))
    #expect(server.requestCount == 1)
  }

  @Test(
    "errors of the server are not kept for pictures, but may be kept by the rules of the RFC",
    arguments: [true, false])
  func serverErrors(isSession: Bool) async throws {
    server.route("/down", .status(503, headers: ["Cache-Control": "max-age=600"]))
    let address = server.url("/down").absoluteString
    if isSession {
      let lines = try (0..<2).map { try requestLine(["id": $0, "url": address]) }
      let run = await CommandRun(["fetch", "--json-lines"], input: lines)
      #expect(try run.objects.map { $0["from"] as? String } == ["network", "cache"])
    } else {
      let run = await CommandRun(
        "fetch", "-v", address, address, "--retries", "0", "--cache", folder.path("cache"))
      #expect(run.errors.contains("a server error"))
    }
    #expect(server.requestCount == (isSession ? 1 : 2))
  }

  @Test("requests of one address keep their order, however many others come between them")
  func orderOfOneAddress() async throws {
    let gate = Gate()
    server.route("/slow", [.ok(Data("first".utf8)).held(by: gate), .ok(Data("second".utf8))])
    let sentBeforeAnswer = Atomic(0)
    server.route("/last") { [server] _ in
      sentBeforeAnswer.store(server.requestCount(for: "/slow"), ordering: .relaxed)
      gate.open()
      return .ok(Data("last".utf8))
    }
    let slow = server.url("/slow").absoluteString
    // Cheap addresses: more than run at the same time, but so few that the held request does not reach its limit on
    // silence.
    let others = try (0..<100).map { try requestLine(["id": "other", "url": "none:\($0)"]) }
    let run = await CommandRun(
      ["fetch", "--json-lines"],
      input: [try requestLine(["id": "first", "url": slow, "cache": "no-store"])] + others + [
        try requestLine(["id": "second", "url": slow, "cache": "no-store"])
      ] + others.prefix(20) + [try requestLine(["id": "last", "url": server.url("/last").absoluteString])])
    let order = try run.objects.compactMap { $0["id"] as? String }.filter {
      ["first", "second"].contains($0)
    }
    #expect(order == ["first", "second"])
    #expect(sentBeforeAnswer.load(ordering: .relaxed) == 1)
  }

  @Test("failures are reported, and the rest is still fetched")
  func failures() async throws {
    let run = await CommandRun(
      "fetch", server.url("/missing").absoluteString, server.url("/fresh").absoluteString, "--cache",
      folder.path("cache"))
    #expect(run.status == .failed)
    #expect(run.output == "one")
    #expect(run.errors.contains("the server answered 404"))
    let stored = await CommandRun(
      "fetch", server.url("/missing").absoluteString, "--mode", "only-if-cached", "--cache",
      folder.path("empty"))
    #expect(stored.errors.contains("the cache answered 504"))
  }

  @Test(
    "wrong usage",
    arguments: [
      ["fetch"], ["fetch", "file:///a"], ["fetch", "--json-lines", "http://127.0.0.1/"],
      ["fetch", "http://127.0.0.1/", "--mode", "often"], ["explain"], ["explain", "a.jpg"],
    ])
  func usage(_ arguments: [String]) async {
    #expect(await CommandRun(arguments).status == .wrongUsage)
  }

  @Test("explain reports the stored answers and the decision, and sends nothing")
  func explain() async throws {
    let address = server.url("/fresh").absoluteString
    let cache = folder.path("cache")
    let before = await CommandRun("explain", address, "--cache", cache)
    #expect(before.output.contains("nothing is stored"))
    #expect(before.output.contains("would ask the origin for the whole: not stored"))
    _ = await CommandRun("fetch", address, "--cache", cache)
    let after = await CommandRun("explain", address, "--cache", cache)
    #expect(after.output.contains("lifetime   264600 s (max-age)"))
    #expect(after.output.contains("ETag: \"1\""))
    #expect(after.output.contains("would serve what is stored: fresh for 3d 1h"))
    let json = await CommandRun("explain", address, "--mode", "no-cache", "--cache", cache, "--json")
    let object = try #require(try json.objects.first)
    #expect(object["action"] as? String == "validate")
    #expect((object["stored"] as? [[String: Any]])?.first?["lifetime_by"] as? String == "max-age")
    #expect(server.requestCount == 1)
  }
}

/// A line of the input of `ozu fetch --json-lines`.
func requestLine(_ members: [String: Any]) throws -> String {
  String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
}

extension LoopbackServer {
  /// A server with answers that are fresh, that must be validated, and that redirect.
  static func forFetch() throws -> LoopbackServer {
    let server = try LoopbackServer()
    server.route("/fresh") { _ in
      LoopbackResponse(headers: ["Cache-Control": "max-age=264600", "ETag": "\"1\""], body: Data("one".utf8))
    }
    server.route("/always") { request in
      request.headers["If-None-Match"] == "\"1\""
        ? .status(304, headers: ["ETag": "\"1\""])
        : LoopbackResponse(headers: ["Cache-Control": "no-cache", "ETag": "\"1\""], body: Data("two".utf8))
    }
    server.route("/moved", .redirect(to: "/fresh", status: 301))
    return server
  }
}
