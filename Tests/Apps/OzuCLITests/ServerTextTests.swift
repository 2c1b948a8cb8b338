import Foundation
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("Text from a server cannot control the terminal")
struct ServerTextTests {
  private let server: LoopbackServer
  private let folder: Folder
  /// Sets the title of a window, colours, and turns the direction of writing; the last order is a single character.
  private static let evil = "\u{1B}]0;evil\u{07}\u{1B}[31m\u{202E}\u{9B}1m"

  init() throws {
    server = try LoopbackServer()
    folder = try Folder()
    server.route("/field") { _ in
      LoopbackResponse(headers: ["Cache-Control": "max-age=60", "X-Field": Self.evil], body: Data("a".utf8))
    }
    server.route("/location", .redirect(to: "ftp://host.example/\(Self.evil)"))
  }

  private static func hasOrders(_ text: String) -> Bool {
    text.unicodeScalars.contains {
      $0.properties.generalCategory == .control && $0 != "\n" || $0 == "\u{202E}"
    }
  }

  @Test("explain escapes control characters in fields, and JSON has the whole text")
  func fields() async throws {
    let (address, cache) = (server.url("/field").absoluteString, folder.path("cache"))
    #expect(await CommandRun("fetch", address, "--cache", cache).status == .done)
    let text = await CommandRun("explain", address, "--cache", cache)
    #expect(text.output.contains("X-Field: \\u001b]0;evil\\u0007\\u001b[31m\\u202e\\u009b1m\n"))
    #expect(!Self.hasOrders(text.output))
    let json = await CommandRun("explain", address, "--cache", cache, "--json")
    #expect(!Self.hasOrders(json.output))
    let stored = try #require(try json.objects[0]["stored"] as? [[String: Any]])
    let headers = try #require(stored[0]["headers"] as? [[String]])
    #expect(headers.contains(["X-Field", Self.evil]))
  }

  @Test("errors about a Location escape them too", arguments: ["fetch", "load", "info"])
  func locations(command: String) async {
    let run = await CommandRun(
      command, server.url("/location").absoluteString, "--cache", folder.path("cache"))
    #expect(run.status == .failed)
    #expect(run.errors.contains("\\u001b]0;evil\\u0007"), "\(run.errors)")
    #expect(!Self.hasOrders(run.errors + run.output))
  }

  @Test("the answers of --json-lines escape them too, and have the whole text")
  func jsonLines() async throws {
    let run = await CommandRun(
      ["fetch", "--json-lines"], input: ["{\"url\": \"\(server.url("/field").absoluteString)\"}"])
    #expect(!Self.hasOrders(run.output))
    let headers = try #require(try run.objects[0]["headers"] as? [[String]])
    #expect(headers.contains(["X-Field", Self.evil]))
  }
}

@Suite("The option --cacert")
struct CertificateOptionTests {
  @Test("makes the commands trust the authorities in the file", arguments: ["fetch", "load", "info"])
  func file(command: String) async throws {
    let (server, folder) = (try LoopbackServer(), try Folder())
    let path = try folder.write(Data("no certificate".utf8), to: "own.pem")
    let run = await CommandRun(
      command, "https://127.0.0.1:\(server.port)/", "--cacert", path, "--cache", folder.path("cache"))
    #expect(run.status == .failed)
    #expect(run.errors.contains("the certificate authorities in \(path) cannot be read"), "\(run.errors)")
  }

  @Test("needs an existing file", arguments: ["fetch", "load", "info"])
  func missing(command: String) async {
    let run = await CommandRun(command, "https://127.0.0.1/", "--cacert", "/nonexistent.pem")
    #expect(run.status == .wrongUsage)
    #expect(run.errors.contains("--cacert /nonexistent.pem: there is no such file"))
  }
}
