import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("Results of `ozu load -o` are the same in every state of the cache")
struct SameResultTests {
  private static let formats = [
    ["-f", "jpeg"], ["-f", "jpeg", "-q", "95"], ["-f", "png"], ["-f", "webp", "--lossless"], ["-f", "avif"],
    ["-f", "jxl", "--lossless"],
  ].filter { arguments in OutputFormats.names.contains { $0.0 == arguments[1] } }

  @Test("for a file and for an address, again and after runs without -o", arguments: formats)
  func same(_ format: [String]) async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    let photo = try PatternPicture(PixelSize(320, 240), tint: 3).data(as: .jpeg)
    server.route("/p.jpg", .ok(photo).header("Cache-Control", "max-age=3600"))
    let folder = try Folder()
    for source in [try folder.write(photo, to: "p.jpg"), server.url("/p.jpg").absoluteString] {
      let cache = ["--cache", folder.path("cache-\(source.count)")]
      var results: [Data?] = []
      // Between them a larger picture and one of the same size are made without -o, and cached.
      for screen in [nil, nil, "200x150", "120x90", nil] {
        if let screen { #expect(await CommandRun(["load", source, "-s", screen] + cache).status == .done) }
        let arguments = ["load", source, "-s", "120x90", "-o", folder.path("out")] + format + cache
        let run = await CommandRun(arguments)
        #expect(run.status == .done, "\(run.errors)")
        results.append(folder.data("out"))
      }
      #expect(results[0] != nil && Set(results).count == 1)
    }
    #expect(server.requestCount == 1)
  }

  @Test("finished pictures are neither read nor kept")
  func counts() async throws {
    let folder = try Folder()
    let source = try folder.write(PatternPicture(PixelSize(320, 240), tint: 3).data(as: .jpeg), to: "p.jpg")
    let options = ["-s", "120x90", "--stats", "--cache", folder.path("cache")]
    _ = await CommandRun(["load", source] + options)
    let run = await CommandRun(["load", source, "-o", folder.path("out.png"), "-v"] + options)
    #expect(run.output.contains("from disk-original"))
    #expect(run.output.contains("renditions on disk: 0 hits, 0 misses, 0 stored"))
  }
}
