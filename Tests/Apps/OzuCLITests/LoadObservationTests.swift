import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("Trace, counts and log of ozu load")
struct LoadObservationTests {
  private let photo = PatternPicture(PixelSize(320, 240), tint: 3)

  @Test("--trace writes a file in the trace event format, with every request and stage")
  func trace() async throws {
    let server = try LoopbackServer()
    server.route("/a.jpg", .ok(try photo.data(as: .jpeg)))
    let folder = try Folder()
    let file = folder.path("out.json")
    let address = server.url("/a.jpg").absoluteString
    let run = await CommandRun([
      "load", address, address, "--size", "32x24", "--trace", file, "--cache", folder.path("cache"),
    ])
    #expect(run.status == .done, "\(run.errors)")
    let trace = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: file))) as? [String: Any])
    let events = try #require(trace["traceEvents"] as? [[String: Any]])
    #expect(events.count { $0["ph"] as? String == "b" && $0["cat"] as? String == "request" } == 2)
    let stages = Set(events.filter { $0["ph"] as? String == "X" }.compactMap { $0["name"] as? String })
    #expect(stages == ["read", "network", "decode", "resize", "encode", "store"])
  }

  @Test("a trace that cannot be written is a failure with a message")
  func unwritable() async throws {
    let folder = try Folder()
    let source = try folder.write(photo.data(as: .png), to: "a.png")
    let run = await CommandRun([
      "load", source, "--trace", folder.path("none/out.json"), "--cache", folder.path("cache"),
    ])
    #expect(run.status == .failed)
    let path = folder.path("none/out.json")
    #expect(run.errors == "ozu: the trace: \(path) cannot be written: No such file or directory\n")
  }

  @Test("--stats prints the counts, as lines and as JSON")
  func statistics() async throws {
    let folder = try Folder()
    let source = try folder.write(photo.data(as: .png), to: "a.png")
    let arguments = ["load", source, "--size", "32x24", "--stats", "--cache", folder.path("cache")]
    let cold = await CommandRun(arguments)
    #expect(cold.output.contains("renditions on disk: 0 hits, 1 misses, 1 stored"))
    #expect(cold.output.contains("requests: 1 from disk-original"))
    let warm = await CommandRun(arguments + ["--json"])
    let counts = try #require(try warm.objects.last?["statistics"] as? [String: Any])
    #expect((counts["renditions"] as? [String: Any])?["hits"] as? Int == 1)
    #expect(counts["answers"] as? [String: Int] == ["disk-rendition": 1])
  }

  @Test("--log reports each request on standard error, by levels")
  func log() async throws {
    let folder = try Folder()
    let source = try folder.write(photo.data(as: .png), to: "a.png")
    let run = await CommandRun(["load", source, "--log", "debug", "--cache", folder.path("cache")])
    #expect(run.errors.contains("ozu debug: miss memory: \(source)"))
    #expect(run.errors.contains("ozu info: from disk-original in "))
    let wrong = await CommandRun(["load", source, "--log", "loud"])
    #expect(wrong.status == .wrongUsage)
    #expect(wrong.errors.contains("debug, info, notice, error"))
  }
}
