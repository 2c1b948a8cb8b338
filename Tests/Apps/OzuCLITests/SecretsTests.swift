import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

/// Passwords and tokens in addresses are neither on the disk nor in the output.
@Suite struct SecretsTests {
  private let server: LoopbackServer
  private let folder: Folder

  init() throws {
    server = try LoopbackServer()
    folder = try Folder()
    let picture = try PatternPicture(PixelSize(64, 48)).data(as: .jpeg)
    server.route("/p.jpg", .redirect(to: "/q.jpg?token=SECRET2", status: 302))
    server.route("/q.jpg") { request in
      request.headers["If-None-Match"] == "\"1\""
        ? .status(304)
        : LoopbackResponse(
          headers: [
            "Content-Type": "image/jpeg", "Cache-Control": "no-cache", "ETag": "\"1\"",
            "Set-Cookie": "id=SECRET3", "Content-Location": "/q.jpg?token=SECRET4",
          ], body: picture)
    }
    server.route("/bad.jpg", .redirect(to: "ftp://user:hunter2@host/?token=SECRET", status: 302))
  }

  /// An address with a password, a token and a fragment.
  private func address(_ path: String) -> String {
    server.url(path).absoluteString.replacingOccurrences(of: "http://", with: "http://user:hunter2@")
      + "?token=SECRET#SECRET5"
  }

  private func leaks(_ text: String) -> [String] {
    ["hunter2", "SECRET"].filter(text.contains)
  }

  @Test(
    "loads through redirects and errors leave no secret in the cache's files, reports, trace and log"
  )
  func load() async throws {
    let (cache, trace) = (folder.path("cache"), folder.path("trace.json"))
    let options = ["--size", "32x32", "--cache", cache, "--log", "debug", "--trace", trace, "--stats"]
    for isJSON in [false, true] {
      let sources = ["/p.jpg", "/q.jpg", "/bad.jpg", "/missing.jpg"].map(address)
      let run = await CommandRun(["load"] + sources + options + (isJSON ? ["--json"] : []))
      #expect(run.status == .failed)
      #expect(run.output.contains("/p.jpg"), "\(run.output)")
      #expect(leaks(run.output + run.errors) == [], "\(run.output)\(run.errors)")
      #expect(leaks(try String(contentsOfFile: trace, encoding: .utf8)) == [])
    }
    #expect(try leakingFiles(in: cache) == [])
    let list = await CommandRun("cache", "list", "--cache", cache)
    #expect(list.output.contains("/p.jpg?…"), "\(list.output)")
    #expect(leaks(list.output) == [])
    // The second run validated the answer that the first had stored.
    let validations = server.requests(for: "/q.jpg").filter { $0.headers["If-None-Match"] == "\"1\"" }
    #expect(validations.count >= 2)
  }

  @Test("fetch and explain show no secret", arguments: ["/p.jpg", "/q.jpg", "/bad.jpg", "/missing.jpg"])
  func fetch(path: String) async throws {
    let cache = folder.path("cache")
    for _ in 0..<2 {
      let run = await CommandRun("fetch", "-v", address(path), "--cache", cache)
      #expect(leaks(run.errors) == [], "\(run.errors)")
    }
    let explained = await CommandRun("explain", address(path), "--cache", cache)
    #expect(leaks(explained.output + explained.errors) == [], "\(explained.output)")
    #expect(try leakingFiles(in: cache) == [])
    let wrong = await CommandRun("fetch", "ftp://user:hunter2@host/a?SECRET")
    #expect(leaks(wrong.errors) == [], "\(wrong.errors)")
  }

  private func leakingFiles(in folder: String) throws -> [String] {
    let names = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
    #expect(!names.isEmpty)
    return try names.filter { name in
      guard let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)"),
        attributes[.type] as? FileAttributeType == .typeRegular
      else { return false }
      let bytes = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
      return ["hunter2", "SECRET"].contains { bytes.firstRange(of: Data($0.utf8)) != nil }
    }
  }
}
