import Foundation
import Ozu
import OzuImaging
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("Commands that use the network")
struct NetworkOptionsTests {
  private let server: LoopbackServer
  private let folder: Folder

  init() throws {
    server = try LoopbackServer()
    folder = try Folder()
  }

  private func run(_ command: String, _ address: URL, _ options: String...) async -> CommandRun {
    await CommandRun([command, address.absoluteString, "--cache", folder.path("cache")] + options)
  }

  @Test("explain and fetch find the answer that load stored under Vary: Accept")
  func sameRequest() async throws {
    let body = try PatternPicture(PixelSize(40, 30)).data(as: .png)
    server.route("/a.png") { request in
      LoopbackResponse(
        headers: ["Vary": "Accept", "Cache-Control": "max-age=600", "ETag": "\"1\""],
        body: request.headers["Accept"]?.contains("image/webp") == true ? body : Data("other".utf8))
    }
    let url = server.url("/a.png")
    let loaded = await run("load", url)
    #expect(loaded.status == .done, "\(loaded.errors)")
    #expect(await run("explain", url).output.contains("would serve what is stored"))
    let fetched = await run("fetch", url, "-v")
    #expect(fetched.errors.contains("200 from cache (fresh for"), "\(fetched.errors)")
    #expect(server.requestCount == 1)
  }

  @Test("fetch retries the same failures as load, by --retries", arguments: ["load", "fetch"])
  func retries(_ command: String) async throws {
    let body = try PatternPicture(PixelSize(40, 30)).data(as: .png)
    server.route("/a.png", [.status(503), .ok(body)])
    #expect(await run(command, server.url("/a.png"), "--retries", "0").status == .failed)
    server.route("/b.png", [.status(503), .ok(body)])
    #expect(await run(command, server.url("/b.png")).status == .done)
    #expect(server.requestCount == 3)
  }

  @Test("an error about a time limit names its value", arguments: ["load", "info", "fetch"])
  func timeout(_ command: String) async throws {
    let gate = Gate()
    server.route("/slow", .ok(Data("late".utf8)).held(by: gate))
    // Long enough for the request to reach the server on a busy machine.
    let silent = await run(command, server.url("/slow"), "--timeout", "2.5")
    gate.open()
    #expect(silent.status == .failed)
    #expect(
      silent.errors.contains("took too long (the limit on the whole exchange is 2.5 s)"), "\(silent.errors)")
    // After a timeout the download is not tried again.
    #expect(server.requestCount == 1)
  }

  @Test(
    "options that make no sense are refused",
    arguments: [["--timeout", "0"], ["--timeout", "soon"], ["--retries", "99"], ["--allow-host", ","]])
  func refused(_ options: [String]) async {
    let run = await CommandRun(["load", server.url("/a").absoluteString] + options)
    #expect(run.status == .wrongUsage)
    #expect(run.errors.contains(options[0]))
  }

  @Test("the pictures of a card are decoded in isolation, as they may be of the web")
  func card() throws {
    let parsed = try ArgumentParser(CardCommand.specification).parse([
      "card.json", "--isolation", "preferred",
    ])
    let isolation = try CardCommand.configuration(parsed).decoding.isolation
    #expect(isolation.mode == .preferred && isolation.types == DecoderIsolation.libraryTypes)
  }

  @Test("--allow-host allows only its hosts, --untrusted only public ones and no files")
  func restricted() async throws {
    let body = try PatternPicture(PixelSize(40, 30)).data(as: .png)
    server.route("/a.png", .ok(body))
    server.route(
      "/away", .redirect(to: server.url("/a.png").absoluteString.replacing("127.0.0.1", with: "localhost")))
    let (url, away) = (server.url("/a.png"), server.url("/away"))
    #expect(await run("load", url, "--allow-host", "example.com, 127.0.0.1").status == .done)
    let elsewhere = await run("load", away, "--allow-host", "127.0.0.1")
    #expect(
      elsewhere.errors.contains("localhost is not one of the allowed hosts"),
      "\(elsewhere.errors)")
    // The rule also holds for stored answers.
    for command in ["load", "info", "fetch"] {
      let other = await run(command, url, "--allow-host", "example.com")
      #expect(other.errors.contains("is not one of the allowed hosts"), "\(command): \(other.errors)")
    }
    let session = await CommandRun(
      ["fetch", "--json-lines", "--allow-host", "example.com", "--cache", folder.path("cache")],
      input: [try requestLine(["url": url.absoluteString])])
    #expect(session.output.contains("is not one of the allowed hosts"), "\(session.output)")
    #expect(server.requestCount == 2)
    let guarded = await CommandRun("load", url.absoluteString, "--untrusted", "--cache", folder.path("empty"))
    #expect(guarded.errors.contains("which is not a public address"), "\(guarded.errors)")
    // The guard knows connections alone, so strangers do not get what others have stored.
    let parser = ArgumentParser(LoadCommand.specification)
    let (own, strange) = (try parser.parse(["https://a/"]), try parser.parse(["--untrusted", "https://a/"]))
    #expect(PipelineArguments.folder(own) != PipelineArguments.folder(strange))
    try body.write(to: folder.url.appending(path: "a.png"))
    for path in [folder.path("a.png"), folder.path("none.png")] {
      let file = await CommandRun("load", path, "--untrusted", "--cache", folder.path("cache"))
      #expect(file.errors.contains("only web addresses are read here"), "\(file.errors)")
    }
    // The files that are no sources are named by the user.
    let steps = try parser.parse(["https://a/", "--untrusted", "--watermark", folder.path("a.png")])
    #expect(try await Recipe(steps).processors.count == 1)
    let json = "{\"size\": {\"width\": 9, \"height\": 9}, \"background\": \"#102030\"}"
    let template = try folder.write(Data(json.utf8), to: "card.json")
    let card = await CommandRun(
      "card", template, "--untrusted", "-o", folder.path("card.png"), "--cache", folder.path("cards"))
    #expect(card.status == .done, "\(card.errors)")
  }
}
