import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

@Suite("The stand-ins of OzuTesting")
struct TestingKitTests {
  @Test("a recorder returns past events, and waits for later ones")
  func recorder() async throws {
    let recorder = EventRecorder()
    let client = FakeHTTPClient()
    let pipeline = ImagePipeline.testing(client: client, recorder: recorder)
    let gate = Gate()
    let url = Fixture.url("a.png")
    client.reply(to: url, with: .ok(try Picture.color(.white).data(as: .png)).held(by: gate))
    async let end = recorder.event { $0.isRequestEnd }
    async let hits = recorder.events(2) { $0.isHit(in: .memory) }
    let task = pipeline.task(for: url)
    await recorder.event { $0.isBegin(of: .network) }
    #expect(recorder.count { $0.isRequestEnd } == 0)
    gate.open()
    #expect(await end.description == "answer network \(url.absoluteString)")
    #expect(try await task.image.isColor(.white))
    for _ in 0..<2 { _ = try await pipeline.image(for: url) }
    #expect(await hits.count == 2)
    #expect(recorder.events.count > 8)
    recorder.removeAll()
    // Not "no events": the download's store into the disk cache may end only now.
    #expect(recorder.count { $0.isHit(in: .memory) } == 0)
  }

  @Test("a pipeline for tests does not depend on the load and the memory of the machine")
  func independence() {
    let caching = ImagePipeline.testing().configuration.caching
    #expect(caching.memoryCache.pressure == nil && caching.encodedMemoryCache.pressure == nil)
    #expect(caching.storeReadLimit >= .seconds(600))
    let fixture = Fixture()
    for pipeline in [fixture.pipeline, fixture.freshPipeline()] {
      #expect(pipeline.configuration.testing.currentDate() == fixture.date)
    }
  }

  @Test("a suspended queue holds jobs that have not begun; the order of priorities can be arranged")
  func suspension() async throws {
    let recorder = EventRecorder()
    let client = FakeHTTPClient()
    let pipeline = ImagePipeline.testing(client: client, recorder: recorder) {
      $0.decoding.concurrentDecodes = 1
    }
    let urls = try (0..<3).map { number in
      let url = Fixture.url("\(number).png")
      client.reply(to: url, with: .ok(try Picture.color(.black).data(as: .png)))
      return url
    }
    pipeline.suspend(.decode)
    let tasks = urls.map { pipeline.task(for: $0) }
    await recorder.events(3) { $0.isBegin(of: .wait) }
    try await eventually(pipeline.waitingCount(on: .decode) >= 3)
    #expect(recorder.count { $0.isBegin(of: .decode) } == 0)
    tasks[2].priority = .veryHigh
    pipeline.resume(.decode)
    for task in tasks { _ = try await task.image }
    let first = recorder.events.first { $0.isBegin(of: .decode) }
    #expect(first?.isBegin(of: .decode, source: urls[2].absoluteString) == true)
    for queue in ImagePipeline.QueueKind.allCases { #expect(pipeline.waitingCount(on: queue) >= 0) }
  }

  @Test("a caller receives a picture before it is stored")
  func storing() async throws {
    let client = FakeHTTPClient()
    let pipeline = ImagePipeline.testing(client: client)
    let url = Fixture.url("a.png")
    client.reply(to: url, with: .ok(try Picture.color(.black).data(as: .png)))
    pipeline.suspend(.store)
    _ = try await pipeline.image(for: url)
    #expect(pipeline.waitingCount(on: .store) == 1)
    pipeline.resume(.store)
    await pipeline.flush()
    #expect(pipeline.statistics.originals.stores == 1)
  }

  @Test("a clock wakes its sleepers in the order of their times, and a cancelled sleeper at once")
  func clock() async throws {
    let clock = ManualClock()
    let order = Shared<[Int]>([])
    let long = Task {
      try await clock.sleep(for: .seconds(20))
      order.change { $0.append(20) }
    }
    let short = Task {
      try await clock.sleep(for: .seconds(10))
      order.change { $0.append(10) }
    }
    let never = Task { try await clock.sleep(for: .seconds(1000)) }
    await clock.sleepers(3)
    clock.advance(by: .seconds(9))
    #expect(clock.sleeperCount == 3)
    clock.advance(by: .seconds(1))
    try await short.value
    #expect(clock.sleeperCount == 2)
    never.cancel()
    await #expect(throws: CancellationError.self) { try await never.value }
    clock.advance(by: .seconds(10))
    try await long.value
    #expect(order.value == [10, 20])
    try await clock.sleep(for: .zero)
  }

  @Test("with an injected clock, a pipeline waits before a retry until the clock is moved")
  func retries() async throws {
    let clock = ManualClock()
    let client = FakeHTTPClient()
    let pipeline = ImagePipeline.testing(client: client, clock: clock) { $0.network.retryPolicy = .standard }
    let url = Fixture.url("a.png")
    client.reply(to: url, with: [.status(503), .ok(try Picture.color(.white).data(as: .png))])
    let task = pipeline.task(for: url)
    await clock.sleepers(1)
    #expect(client.requestCount(for: url) == 1)
    clock.advance(by: .seconds(60))
    #expect(try await task.image.isColor(.white))
    #expect(client.requestCount(for: url) == 2)
  }

  @Test(
    "a picture of one colour keeps its colour through a file",
    arguments: [
      ColorValue.white, .black, ColorValue(red: 200, green: 40, blue: 90),
      ColorValue(red: 200, green: 40, blue: 90, alpha: 100),
    ])
  func colors(_ color: ColorValue) throws {
    let picture = Picture.color(color, PixelSize(20, 10))
    #expect(picture.size == PixelSize(20, 10))
    #expect(picture.isColor(color, tolerance: 0))
    let copy = try CodecRegistry.standard.picture(from: picture.data(as: .png))
    #expect(copy.isColor(color))
    #expect(!copy.isColor(ColorValue(red: 0, green: 255, blue: 0)))
  }
}
