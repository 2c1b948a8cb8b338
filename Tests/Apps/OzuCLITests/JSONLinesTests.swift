import Foundation
import OzuBase
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("ozu fetch --json-lines")
struct JSONLinesTests {
  private let server: LoopbackServer
  private let folder: Folder

  init() throws {
    server = try .forFetch()
    folder = try Folder()
  }

  @Test("each request through the cache that lasts, with place and reason")
  func jsonLines() async throws {
    let fresh = server.url("/fresh").absoluteString
    let run = await CommandRun(
      ["fetch", "--json-lines"],
      input: [
        try requestLine(["id": 1, "url": fresh]),
        try requestLine(["id": "b", "url": fresh, "method": "GET"]), "",
        try requestLine([
          "id": 3, "url": fresh, "cache": "reload", "headers": [["X-A", "é"], ["x-a", "2"]],
        ]),
        try requestLine([
          "id": 4, "url": fresh, "method": "POST", "body": Data("in".utf8).base64EncodedString(),
        ]),
        try requestLine(["id": 5, "url": fresh, "cache": "only-if-cached"]),
      ])
    #expect(run.status == .done, "\(run.errors)")
    let answers = try run.objects
    #expect(answers.map { "\($0["id"] ?? "")" } == ["1", "b", "3", "4", "5"])
    #expect(answers.map { $0["from"] as? String } == ["network", "cache", "network", "network", "cache"])
    #expect(answers.map { $0["status"] as? Int } == [200, 200, 200, 200, 504])
    #expect(answers[1]["reason"] as? String == "fresh for 3d 1h")
    #expect(answers[0]["body"] as? String == Data("one".utf8).base64EncodedString())
    let headers = try #require(answers[0]["headers"] as? [[String]])
    #expect(headers.contains(["ETag", "\"1\""]))
    let received = server.requests(for: "/fresh")
    #expect(received[1].headers["X-A"] == "é, 2")
    #expect(received[2].body == Data("in".utf8))
  }

  @Test("escapes in the address of a source stay as they are")
  func escapes() {
    let source = SourceArgument.source("http://h/a%20b|c.png")
    let url: URL? = if case .url(let url) = source { url } else { nil }
    #expect(url?.absoluteString == "http://h/a%20b%7Cc.png")
    #expect((try? HTTPArguments.url("http://h/a%20b|c.png"))?.absoluteString == "http://h/a%20b%7Cc.png")
  }

  @Test(
    "redirects are followed or returned, answers are validated, and the disk cache outlives the run"
  )
  func jsonLinesOnDisk() async throws {
    let always = try requestLine(["id": 1, "url": server.url("/always").absoluteString])
    let options = ["fetch", "--json-lines", "--cache", folder.path("cache")]
    let first = await CommandRun(options, input: [always])
    #expect(try first.objects.first?["from"] as? String == "network")
    let second = await CommandRun(options, input: [always])
    #expect(try second.objects.first?["from"] as? String == "revalidated")
    #expect(try second.objects.first?["reason"] as? String == "no-cache, revalidated by ETag")

    let moved = server.url("/moved").absoluteString
    let redirects = await CommandRun(
      options,
      input: [
        try requestLine(["id": 1, "url": moved, "redirect": "manual"]),
        try requestLine(["id": 2, "url": moved]),
      ])
    #expect(try redirects.objects.map { $0["status"] as? Int } == [301, 200])
  }

  @Test("lines that are malformed get an error, and the others their answers")
  func badLines() async throws {
    let run = await CommandRun(
      ["fetch", "--json-lines"],
      input: [
        "{", try requestLine(["id": 1]), try requestLine(["id": 2, "url": "ftp://a/"]),
        try requestLine(["id": 3, "url": "http://a/", "cache": "x"]),
        try requestLine(["id": 4, "url": "http://a/", "body": "?"]),
        try requestLine(["id": 5, "url": server.url("/fresh").absoluteString]),
      ])
    #expect(run.status == .failed)
    let answers = try run.objects
    #expect(answers.count == 6)
    #expect(answers.filter { $0["error"] is String }.count == 5)
    #expect(answers.contains { $0["id"] as? Int == 5 && $0["status"] as? Int == 200 })
  }

  @Test(
    "a member of the wrong kind is an error and is never ignored",
    arguments: [
      #""method": 5"#, #""headers": {"A": "b"}"#, #""headers": [["A"]]"#, #""headers": [["A", 1]]"#,
      #""headers": "A: b""#, #""body": 5"#, #""body": "%""#, #""cache": 1"#, #""cache": "often""#,
      #""redirect": true"#, #""redirect": "error""#, #""method": "G ET""#, #""headers": [["A b", "c"]]"#,
    ])
  func wrongMembers(_ member: String) async throws {
    let address = server.url("/fresh").absoluteString
    let run = await CommandRun(
      ["fetch", "--json-lines"],
      input: [#"{"id": "a", "url": "\#(address)", \#(member)}"#, #"{"id": 2, "url": "\#(address)"}"#])
    let answers = try run.objects
    #expect(answers.count == 2)
    let wrong = try #require(answers.first { $0["id"] as? String == "a" })
    #expect(wrong.keys.sorted() == ["error", "id", "kind", "version"])
    #expect(wrong["error"] as? String != "")
    #expect(answers.contains { $0["id"] as? Int == 2 && $0["status"] as? Int == 200 })
    #expect(server.requestCount == 1)
  }

  @Test(
    "an id is returned unchanged",
    arguments: [
      "1", "-7", "1.23456", "12345678901234567890", "true", "null", #""é \"/""#, "[1,2]", #"{"a":1}"#,
    ])
  func identities(_ id: String) async throws {
    let run = await CommandRun(
      ["fetch", "--json-lines"],
      input: [#"{"id": \#(id), "url": "\#(server.url("/fresh").absoluteString)"}"#, #"{"id": \#(id)}"#])
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.hasPrefix(#"{"id": \#(id), "#) })
  }

  @Test("null is the same as leaving a member out")
  func nullMembers() async throws {
    let address = server.url("/fresh").absoluteString
    let run = await CommandRun(
      ["fetch", "--json-lines"],
      input: [
        #"{"id": 1, "url": "\#(address)", "method": null, "headers": null, "body": null, "cache": null,"#
          + #" "redirect": null}"#
      ])
    #expect(try run.objects.map { $0["status"] as? Int } == [200])
  }

  @Test("hundreds of addresses, each requested three times, keep the order of their lines")
  func order() async throws {
    server.routeRest { request in
      LoopbackResponse(
        headers: ["Cache-Control": "no-store"], body: Data((request.headers["X-N"] ?? "").utf8))
    }
    var lines: [String] = []
    for round in 0..<3 {
      for address in 0..<500 {
        lines.append(
          #"{"id": \#(lines.count), "url": "\#(server.url("/\(address)"))", "headers": [["X-N", "\#(round)"]]}"#
        )
      }
    }
    // All lines of some addresses come at once, so that each waits for the one before.
    for round in 3..<40 {
      lines.append(
        #"{"id": \#(lines.count), "url": "\#(server.url("/7"))", "headers": [["X-N", "\#(round)"]]}"#)
    }
    let run = await CommandRun(["fetch", "--json-lines"], input: lines)
    #expect(run.status == .done)
    #expect(Set(try run.objects.compactMap { $0["id"] as? Int }) == Set(lines.indices))
    var rounds: [String: [Int]] = [:]
    for request in server.requests {
      rounds[request.path, default: []].append(Int(request.headers["X-N"] ?? "") ?? -1)
    }
    #expect(rounds.count == 500)
    #expect(rounds.values.allSatisfy { $0 == $0.sorted() })
    #expect(rounds["/7"] == Array(0..<40))
  }

  @Test("an answer is written when it is ready, without waiting for further lines")
  func interactive() async throws {
    let (lines, console) = (Pipe(), InteractiveConsole())
    var session = Console(
      writeOutput: { _ in }, writeError: { _ in }, outputIsTerminal: false, errorIsTerminal: false, width: 80,
      writeData: { console.add($0) })
    let reader = LineReader(descriptor: lines.fileHandleForReading.fileDescriptor)
    session.readLines = { reader.next() }
    let task = Task { [session] in await Tool.run(["fetch", "--json-lines"], console: session) }
    let address = server.url("/always").absoluteString
    // The second waits for the first, and for no later line.
    for (number, text) in [
      #"{"id": 1, "url": "\#(address)"}"# + "\n" + #"{"id": 2, "url": "\#(address)"}"#
        + "\r\n{\"id\": 3, \"url",
      "\": \"\(address)\"}\n",
    ].enumerated() {
      try lines.fileHandleForWriting.write(contentsOf: Data(text.utf8))
      try await eventually(console.lineCount == 2 + number)
    }
    try lines.fileHandleForWriting.write(contentsOf: Data(#"{"id": 4, "url": "\#(address)"}"#.utf8))
    try lines.fileHandleForWriting.close()
    #expect(await task.value == .done)
    #expect(console.lineCount == 4)
  }

  @Test(
    "an origin that cannot be reached is an error, or 504 with the option for it",
    arguments: [true, false])
  func gateway(isAsked: Bool) async throws {
    server.route("/gone", .noAnswer())
    let run = await CommandRun(
      ["fetch", "--json-lines"] + (isAsked ? ["--errors-as-504"] : []),
      input: [
        try requestLine(["id": 1, "url": server.url("/gone").absoluteString]),
        try requestLine(["id": 2, "url": "ftp://a/"]),
      ])
    #expect(run.status == .done)
    let answers = try run.objects
    let gone = try #require(answers.first { $0["id"] as? Int == 1 })
    #expect(gone["status"] as? Int == (isAsked ? 504 : nil))
    #expect((gone["error"] == nil) == isAsked)
    // A line without a request is an error without the origin.
    #expect(answers.first { $0["id"] as? Int == 2 }?["error"] is String)
    let alone = await CommandRun("fetch", server.url("/fresh").absoluteString, "--errors-as-504")
    #expect(alone.status == .wrongUsage)
  }
}

/// Counts the lines that it gets.
private final class InteractiveConsole: Sendable {
  private let output = Mutex(Data())

  func add(_ data: Data) { output.withLock { $0 += data } }

  var lineCount: Int { output.withLock { $0.count { $0 == 0x0A } } }
}
