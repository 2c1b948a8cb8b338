import Foundation
import Ozu
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

/// The samples about tests of an app.
extension DocumentationTests {
  @Test("Testing your app: queues")
  func queues() async throws {
    let pipeline = try servedPipeline()
    pipeline.suspend(.decode)
    let task = pipeline.task(for: url)
    await pipeline.waiting(1, for: .decode)
    #expect("\(pipeline.diagnostics())".contains("decode: 0 of"))
    pipeline.resume(.decode)
    _ = try await task.image
  }

  @Test("Testing your app with OzuTesting")
  func testing() async throws {
    let client = FakeHTTPClient()
    let pipeline = ImagePipeline.testing(client: client)
    let pattern = PatternPicture(PixelSize(320, 240), tint: 2)
    client.reply(to: url, with: .ok(try pattern.data(as: .jpeg)))

    let picture = try await pipeline.image(for: url, size: PixelSize(32, 24))
    #expect(pattern.resembles(picture.bitmap))
    #expect(client.requestCount(for: url) == 1)

    let other = try #require(URL(string: "https://example.com/b.png"))
    client.reply(to: other, with: .ok(try Picture.color(.white, PixelSize(64, 64)).data(as: .png)))
    #expect(try await pipeline.image(for: other).isColor(.white))

    let gate = Gate()
    client.reply(to: url, with: .ok(try pattern.data(as: .jpeg)).held(by: gate))
    let task = pipeline.task(for: ImageRequest(url: url, cachePolicy: .reload))
    await gate.arrivals(1)
    task.cancel()
    await #expect(throws: ImageError.self) { try await task.image }
  }

  @Test("Testing your app with OzuTesting: events, queues and clocks")
  func testingTime() async throws {
    let gate = Gate()
    let body = try Picture.color(.white).data(as: .png)
    client.reply(to: url, with: .ok(body).held(by: gate))
    let recorder = EventRecorder()
    let pipeline = ImagePipeline.testing(client: client, recorder: recorder)
    let task = pipeline.task(for: url)
    await recorder.event { $0.isBegin(of: .network) }
    task.cancel()
    await recorder.event { $0.isRequestEnd }
    #expect(recorder.count { $0.isBegin(of: .decode) } == 0)

    let urls = try (0..<3).map { try #require(URL(string: "https://example.com/\($0).png")) }
    for url in urls { client.reply(to: url, with: .ok(body)) }
    pipeline.suspend(.decode)
    let tasks = urls.map { pipeline.task(for: $0) }
    await recorder.events(urls.count) { $0.isBegin(of: .wait) }
    tasks[2].priority = .veryHigh
    pipeline.resume(.decode)
    for task in tasks { _ = try await task.image }

    do {
      // The cancelled load may ask for its own address as late as now, and would take the first reply.
      let url = try #require(URL(string: "https://example.com/again.png"))
      let clock = ManualClock()
      let patient = ImagePipeline.testing(client: client, clock: clock) { $0.network.retryPolicy = .standard }
      client.reply(to: url, with: [.status(503), .ok(body)])
      let retried = patient.task(for: url)
      await clock.sleepers(1)
      clock.advance(by: .seconds(60))
      _ = try await retried.image
    }
  }

  @Test("Testing your app with OzuTesting: failures")
  func testingFailures() async throws {
    let files = MemoryFileSystem()
    let pipeline = ImagePipeline.testing(client: client, files: files)
    client.reply(to: url, with: .failure(.connectionLost))
    await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
    files.respond = { call in call.operation == .write ? .fail(ENOSPC) : .proceed }
    client.reply(to: url, with: .ok(try Picture.color(.white).data(as: .png)))
    #expect(try await pipeline.image(for: url).isColor(.white))
  }
}
