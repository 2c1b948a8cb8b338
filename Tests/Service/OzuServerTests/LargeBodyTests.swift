import Foundation
import OzuHTTP
import OzuImaging
import OzuTesting
import Testing

@testable import OzuServer

@Suite("Large files while they are downloaded, in a real process", .timeLimit(.minutes(5)))
struct LargeBodyTests {
  @Test(
    "they are in a file without a name, not in memory: in the folder of the cache, or in a folder of the process",
    arguments: [false, true])
  func files(hasCache: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-large-\(UUID().uuidString)")
    let cache = folder.appending(path: "cache")
    let temporary = folder.appending(path: "temporary")
    for place in [cache, temporary] {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    }
    defer { try? FileManager.default.removeItem(at: folder) }
    let (origin, gate) = (try LoopbackServer(), Gate())
    // After its end there are bytes that no decoder reads; more than the memory that large bodies share.
    let picture = try ServiceFixture.picture() + Data(count: 17 << 20)
    origin.routeRest { _ in
      LoopbackResponse.ok(picture, type: "image/png").header("ETag", "\"a\"").dripping(
        64 << 10, through: gate)
    }
    var variables = ["TMPDIR": temporary.path]
    if hasCache { variables["OZU_CACHE"] = cache.path }
    let service = try ServeProcess(variables)
    let client = try TestClient(port: try await service.port())
    gate.admit(12)
    client.send("GET /x/w:16/plain/http://127.0.0.1:\(origin.port)/a.png@png HTTP/1.1\r\nHost: a\r\n\r\n")
    let expected = (hasCache ? cache : temporary).resolvingSymlinksInPath().path
    try await eventually(files(of: service, in: expected) > 0)
    #expect(try files(of: service, in: (hasCache ? temporary : cache).path) == 0)
    gate.open()
    #expect(try await client.answer().status == 200)
    kill(service.process.processIdentifier, SIGTERM)
    #expect(try await service.ended() == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
  }

  /// The number of files of bodies in a folder that a process has open.
  private func files(of service: ServeProcess, in folder: String) throws -> Int {
    let list = "/proc/\(service.process.processIdentifier)/fd"
    return try FileManager.default.contentsOfDirectory(atPath: list)
      // A descriptor may be closed before its link is read.
      .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(list)/\($0)") }
      .filter {
        $0.hasPrefix(folder + "/") && ($0.contains("/ozu-spool-") || $0.contains("/ozu-beginning-"))
      }.count
  }
}
