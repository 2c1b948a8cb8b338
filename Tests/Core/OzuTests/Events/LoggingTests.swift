import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("A pipeline logs only the wanted levels")
struct LoggingTests {
  /// Keeps its lines.
  private struct Lines: ImageLogging {
    let level: ImageLogLevel
    let lines = Shared<[String]>([])

    func write(_ level: ImageLogLevel, _ line: String) { lines.change { $0.append("\(level) \(line)") } }
  }

  private func lines(at level: ImageLogLevel) async throws -> [String] {
    let log = Lines(level: level)
    let clock = ManualClock()
    let fixture = Fixture {
      $0.log = log
      $0.testing.now = clock.now
      $0.caching.memoryCache.costLimit = 32 * 24 * 4
      $0.caching.memoryCache.maximumEntryFraction = 1
    }
    for path in ["a.jpg", "b.jpg", "b.jpg"] {
      let request = ImageRequest(url: try fixture.serve(path), resize: Fixture.small)
      _ = try await fixture.pipeline.image(for: request)
      await fixture.pipeline.flush()
    }
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: Fixture.url("none")) }
    // A request that is awaited when it has just ended may return before its observers have heard of it.
    try await eventually(log.lines.value.contains { $0.hasPrefix("error") })
    return log.lines.value
  }

  @Test("errors: one line for each failure")
  func errors() async throws {
    let lines = try await lines(at: .error)
    #expect(
      lines == ["error failed after 0.0 ms: https://example.com/none: the server answered 404 (Not Found)"])
  }

  @Test("info: the end of each request, and evictions")
  func info() async throws {
    let lines = try await lines(at: .info)
    #expect(lines.count == 5)
    #expect(lines[0].hasPrefix("info from network in 0.0 ms: https://example.com/a.jpg "))
    #expect(lines[1] == "notice evicted 1 from memory")
    #expect(lines[3].hasPrefix("info from memory in 0.0 ms: https://example.com/b.jpg "))
  }

  @Test("debug: every hit, miss, store and stage")
  func debug() async throws {
    let lines = try await lines(at: .debug)
    for start in [
      "debug miss memory: https://example.com/a.jpg", "debug miss rendition: https://example.com/a.jpg",
      "debug miss original: https://example.com/a.jpg",
      "debug hit memory, 3072 bytes: https://example.com/b.jpg",
      "debug store memory, 3072 bytes: https://example.com/a.jpg", "debug store rendition, ",
      "debug store original, ", "debug decode took 0.0 ms: https://example.com/a.jpg",
    ] {
      #expect(lines.contains { $0.hasPrefix(start) }, "\(start)")
    }
  }

  @Test("log lines of a cache format name it: every hit, miss, store, eviction and cancellation")
  func formats() async throws {
    let log = Lines(level: .debug)
    let fixture = FormatFixture {
      $0.log = log
      $0.caching.memoryCache.costLimit = 32 * 24 * 4
      $0.caching.memoryCache.maximumEntryFraction = 1
    }
    let format = FormatFixture.format("avatars", diskCapacity: 3000)
    for path in ["a.jpg", "b.jpg", "c.jpg", "c.jpg"] {
      let request = ImageRequest(url: try fixture.serve(path), format: format)
      _ = try await fixture.pipeline.image(for: request)
      await fixture.pipeline.flush()
    }
    format.diskCapacity = 1
    await fixture.pipeline.flush()
    let gate = Gate()
    let held = Fixture.url("held")
    fixture.client.reply(to: held, with: .ok(Data()).held(by: gate))
    let task = fixture.pipeline.task(for: ImageRequest(url: held, format: format))
    await gate.arrivals(1)
    task.cancel()
    _ = try? await task.image

    let lines = log.lines.value
    for (start, mention) in [
      ("debug miss memory", "format(avatars"), ("debug miss rendition", "format(avatars"),
      ("debug store memory", "format(avatars"), ("debug store rendition", "format(avatars"),
      ("debug hit memory", "format(avatars"), ("info from memory", "format(avatars"),
      ("notice evicted 1 from memory", "of format avatars"),
      ("notice evicted", "from disk of format avatars"), ("info cancelled", "format(avatars"),
    ] {
      #expect(lines.contains { $0.hasPrefix(start) && $0.contains(mention) }, "\(start)")
    }
    let evicted = lines.compactMap { line in
      line.hasSuffix("from disk of format avatars")
        ? line.split(separator: " ").compactMap { Int($0) }.first : nil
    }
    #expect(evicted.reduce(0, +) == 3)
  }

  @Test("a name with line feeds and control characters is a part of one line")
  func names() async throws {
    let log = Lines(level: .info)
    let pipeline = ImagePipeline.testing { $0.log = log }
    let data = try Fixture.photo.data(as: .jpeg)
    _ = try await pipeline.image(for: ImageRequest(.data(data, key: "a\nerror all is lost\u{1B}[2J")))
    try await eventually(!log.lines.value.isEmpty)
    #expect(log.lines.value.allSatisfy { $0.hasSuffix(": a error all is lost\\u001b[2J") })
  }

  @Test("the text of an unwanted level is not built")
  func laziness() {
    let log = Lines(level: .notice)
    var madeCount = 0
    func text() -> String {
      madeCount += 1
      return "text"
    }
    log.log(.debug, text())
    log.log(.info, text())
    #expect(madeCount == 0)
    log.log(.error, text())
    #expect(madeCount == 1)
    #expect(log.lines.value == ["error text"])
  }

  @Test("without a log and observers there are no events")
  func silence() {
    #expect(!ImagePipeline.testing().context.events.isObserved)
  }
}
