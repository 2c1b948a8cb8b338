import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite struct InfoCommandTests {
  @Test("type, size, alpha and frames, as a line and as JSON")
  func info() async throws {
    let folder = try Folder()
    let path = try folder.write(
      PatternPicture(PixelSize(31, 17), isOpaque: false).data(as: .png), to: "a.png")
    let cache = folder.path("cache")
    let text = await CommandRun("info", path, "--cache", cache)
    #expect(text.output == "\(path): PNG 31x17, rgb, 8 bit, alpha, colour profile none, 1 frame\n")
    let object = try #require(try await CommandRun("info", path, "--json", "--cache", cache).objects.first)
    #expect(object["type"] as? String == "png")
    #expect(object["width"] as? Int == 31)
    #expect(object["hasAlpha"] as? Bool == true)
    #expect(object["colorProfile"] is NSNull)
    #expect(object["frames"] as? Int == 1)
  }

  @Test("what is no image fails with the reason")
  func failure() async throws {
    let folder = try Folder()
    let path = try folder.write(Data("<html>".utf8), to: "a.jpg")
    let run = await CommandRun("info", path, "--cache", folder.path("cache"))
    #expect(run.status == .failed)
    #expect(run.errors == "ozu: \(path): this is an HTML page, not an image\n")
  }
}

@Suite struct CacheCommandTests {
  /// A cache that holds the original and two renditions of a picture.
  private static func filled() async throws -> (Folder, cache: String) {
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/a.jpg", .ok(try PatternPicture(PixelSize(320, 240)).data(as: .jpeg)))
    let folder = try Folder()
    let cache = folder.path("cache")
    for size in ["32x24", "64x48"] {
      let run = await CommandRun(
        "load", server.url("/a.jpg").absoluteString, "--size", size, "--cache", cache)
      #expect(run.status == .done, "\(run.errors)")
    }
    return (folder, cache)
  }

  @Test("stats, list, verify, trim and clear say what is there and what is done")
  func lifeOfACache() async throws {
    let (folder, cache) = try await Self.filled()
    let stats = try #require(try await CommandRun("cache", "stats", "--json", "--cache", cache).objects.first)
    // The original, two renditions, and what tells of these.
    #expect(stats["entries"] as? Int == 4)
    let text = await CommandRun("cache", "stats", "--cache", cache).output
    #expect(text.contains("originals: 1 entries") && text.contains("renditions: 2 entries"))
    #expect(text.contains("relatives: 1 entries"))

    let list = try await CommandRun("cache", "list", "--json", "--cache", cache).objects
    #expect(list.count == 4)
    #expect(list.allSatisfy { ($0["name"] as? String)?.contains("/a.jpg") == true })
    let verified = try #require(
      try await CommandRun("cache", "verify", "--json", "--cache", cache).objects.first)
    #expect(verified["intact"] as? Int == 4)

    #expect(await CommandRun("cache", "trim", "--to", "0", "--cache", cache).status == .done)
    #expect(try await CommandRun("cache", "list", "--json", "--cache", cache).objects.isEmpty)
    #expect(await CommandRun("cache", "clear", "--cache", cache).status == .done)
    withExtendedLifetime(folder) {}
  }

  @Test("verify finds a damaged entry, removes it and fails; then all is well")
  func damage() async throws {
    let (folder, cache) = try await Self.filled()
    let names = try FileManager.default.contentsOfDirectory(atPath: cache)
    let segment = try #require(names.first { $0.hasSuffix(".segment") })
    let file = URL(fileURLWithPath: cache).appending(path: segment)
    var bytes = try Data(contentsOf: file)
    // The entries fill the file from its front; a byte at its middle is one of a body.
    bytes[bytes.count / 3] ^= 0xFF
    try bytes.write(to: file)
    let run = await CommandRun("cache", "verify", "--cache", cache)
    #expect(run.status == .failed)
    #expect(run.errors.contains("damaged"))
    let again = await CommandRun("cache", "verify", "--cache", cache)
    #expect(again.status == .done)
    withExtendedLifetime(folder) {}
  }

  @Test(
    "a cache that is not there yet is empty, and stays away",
    arguments: ["stats", "list", "verify", "trim", "clear"])
  func absent(_ action: String) async throws {
    let folder = try Folder()
    let run = await CommandRun("cache", action, "--cache", folder.path("none"))
    #expect(run.status == .done)
    #expect(try folder.names.isEmpty)
  }
}
