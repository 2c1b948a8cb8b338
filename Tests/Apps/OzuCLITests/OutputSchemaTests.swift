import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

/// `CommandRun` checks every run of a command with `--json` in all tests. These tests have all kinds together, and errors
/// that the check must find.
@Suite("Output of --json follows its schema")
struct OutputSchemaTests {
  @Test("every kind")
  func kinds() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let folder = try Folder()
    let data = try PatternPicture(PixelSize(64, 48), tint: 3).data(as: .png)
    server.route("/a.png", .ok(data).header("Cache-Control", "max-age=3600"))
    let address = server.url("/a.png").absoluteString
    let cache = ["--cache", folder.path("cache"), "--json"]
    var kinds = Set<String>()
    for arguments in [
      ["cache", "stats"], ["load", address, "-s", "9x9", "--stats"],
      ["load", address, "-o", folder.path("{name}.webp")],
      ["set", address, folder.path("none.png"), "-w", "9", "-f", "png", "--html", "-o", folder.path("set")],
      ["set", address, folder.path("none.png"), "-o", folder.path("set"), "--dry-run"],
      ["load", address, "-o", folder.path("out/"), "--dry-run"], ["load", folder.path("none.png")],
      ["info", address, folder.path("none.png")], ["info", "-p", "--all", address], ["explain", address],
      ["load", address, "-o", folder.path("{name}.png"), "--only-smaller"],
      ["similar", address, address], ["similar", address, address, "--exact"],
      ["similar", folder.path("none.png")],
      ["compare", address, address], ["compare", address, folder.path("none.png")],
      ["cache", "stats"],
      ["cache", "list"], ["cache", "verify"], ["cache", "trim", "--to", "0"], ["cache", "clear"],
    ] {
      let run = await CommandRun(arguments + cache)
      let objects = try run.objects
      #expect(
        !objects.isEmpty && objects.allSatisfy { $0["version"] as? Int == JSON.version }, "\(arguments)")
      kinds.formUnion(objects.compactMap { $0["kind"] as? String })
    }
    let path = try folder.write(data, to: "b.png")
    kinds.formUnion(
      try await CommandRun("clean", path, "-o", folder.path("c.png"), "--json").objects.compactMap {
        $0["kind"] as? String
      })
    let session = await CommandRun(
      ["fetch", "--json-lines"],
      input: [#"{"id": [1], "url": "\#(address)"}"#, #"{"id": "x", "url": ""}"#, "no"])
    kinds.formUnion(try session.objects.compactMap { $0["kind"] as? String })
    #expect(
      kinds == [
        "load", "set", "plan", "info", "compare", "similar", "clean", "explanation", "cache", "cache-entry",
        "cache-check",
        "cache-change",
        "answer",
        "statistics",
      ])
  }

  @Test(
    "the check refuses members that are missing, unknown or of another type, and other versions",
    arguments: [
      (#"{"version": 1, "kind": "cache-change", "before": 1, "after": 0}"#, true),
      (#"{"version": 2, "kind": "cache-change", "before": 1, "after": 0}"#, false),
      (#"{"version": 1, "kind": "cache-change", "before": 1}"#, false),
      (#"{"version": 1, "kind": "cache-change", "before": 1, "after": 0, "more": 1}"#, false),
      (#"{"version": 1, "kind": "cache-change", "before": "1", "after": 0}"#, false),
      (#"{"version": 1, "kind": "cache-change", "before": true, "after": 0}"#, false),
      (#"{"version": 1, "kind": "cache-change", "before": 1.5, "after": 0}"#, false),
      (#"{"version": 1, "kind": "cache-change", "before": -1, "after": 0}"#, false),
      (#"{"version": 1, "kind": "change", "before": 1, "after": 0}"#, false),
      (#"{"version": 1, "kind": "load", "source": "a", "error": "b"}"#, true),
      (#"{"version": 1, "kind": "plan", "source": "a", "steps": [1], "output": null}"#, false), ("[]", false),
    ])
  func refusal(_ text: String, _ isRight: Bool) throws {
    let schema = try JSONSchema(Data(contentsOf: OutputSchema.file))
    #expect(schema.mistakes(try JSONSerialization.jsonObject(with: Data(text.utf8))).isEmpty == isRight)
  }
}
