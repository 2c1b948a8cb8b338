import Dispatch
import Foundation
import OzuBase
import OzuTesting
import Testing

@testable import Ozu

@Suite("Cancelled requests")
struct CancellationTests {
  private static func isCancellation(_ error: any Error) -> Bool {
    (error as? ImageError)?.isCancellation == true
  }

  @Test("the last subscriber to leave cancels the download, and the next request starts a new one")
  func lastOut() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let url = try fixture.serve("a.jpg") { $0.held(by: gate) }
    let task = fixture.pipeline.task(for: url)
    await gate.arrivals(1)
    task.cancel()
    await #expect { try await task.image } throws: { Self.isCancellation($0) }
    gate.open()
    #expect(try await fixture.pipeline.image(for: url).size == PixelSize(320, 240))
    #expect(fixture.client.requests.count == 2)
  }

  @Test("one of two is cancelled: the other gets its picture from the same download")
  func oneOfTwo() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let url = try fixture.serve("a.jpg") { $0.held(by: gate) }
    let stays = fixture.pipeline.task(for: url)
    await gate.arrivals(1)
    let leaves = fixture.pipeline.task(for: url)
    leaves.cancel()
    await #expect { try await leaves.image } throws: { Self.isCancellation($0) }
    gate.open()
    #expect(try await stays.image.size == PixelSize(320, 240))
    #expect(fixture.client.requests.count == 1)
  }

  @Test("cancelling a Swift task that awaits a task cancels it")
  func awaiting() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let url = try fixture.serve("a.jpg") { $0.held(by: gate) }
    let task = fixture.pipeline.task(for: url)
    await gate.arrivals(1)
    let waiter = Task { try await task.image }
    waiter.cancel()
    await #expect { try await waiter.value } throws: { Self.isCancellation($0) }
    await #expect { try await task.image } throws: { Self.isCancellation($0) }
  }

  @Test("a load that was cancelled half way leaves nothing in the caches")
  func nothingCached() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let url = try fixture.serve("a.jpg") { $0.dripping(100, through: gate) }
    let task = fixture.pipeline.task(for: url)
    await gate.arrivals(1)
    gate.admit(2)
    task.cancel()
    await #expect { try await task.image } throws: { Self.isCancellation($0) }
    #expect(await fixture.cachedCounts() == (0, 0))
  }

  @Test("a task that is cancelled while another source is tried does not try a third")
  func betweenSources() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let second = try fixture.serve("b.jpg") { $0.held(by: gate) }
    let third = try fixture.serve("c.jpg")
    var request = ImageRequest(url: Fixture.url("missing.jpg"))
    request.alternatives = [.url(second), .url(third)]
    let task = fixture.pipeline.task(for: request)
    await gate.arrivals(1)
    task.cancel()
    await #expect { try await task.image } throws: { Self.isCancellation($0) }
    gate.open()
    // The download may have begun a moment before its task knows what it waits for.
    try await eventually(fixture.pipeline.loadSubscriberCount == 0)
    #expect(fixture.client.requestCount(for: third) == 0)
  }

  @Test(
    "two thousand random starts, cancellations and changes of priority: each end is reported exactly once")
  func exactlyOnce() async throws {
    let fixture = Fixture { $0.caching.memoryCache.costLimit = 1 << 16 }
    let urls = try (0..<7).map { try fixture.serve("\($0).jpg", PatternPicture(PixelSize(40, 30), tint: $0)) }
    let missing = Fixture.url("missing.jpg")
    let queue = DispatchQueue(label: "ends", attributes: .concurrent)
    let ends = Shared([Int](repeating: 0, count: 2000))
    let order = Shared(0)
    await withTaskGroup { group in
      for worker in 0..<8 {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(worker))
          for number in stride(from: worker, to: 2000, by: 8) {
            var request = ImageRequest(url: urls.randomElement(using: &random) ?? missing)
            if number % 5 == 0 { request.cachePolicy = .reload }
            if number % 11 == 0 {
              request = ImageRequest(url: missing)
              request.alternatives = [.url(urls[number % 7])]
            }
            request.priority = ImagePriority.allCases.randomElement(using: &random) ?? .normal
            let task = fixture.pipeline.loadImage(for: request, queue: queue) { _ in
              ends.change { $0[number] += 1 }
            }
            let events = task.events
            if number % 3 == 0 { await Task.yield() }
            task.priority = ImagePriority.allCases.randomElement(using: &random) ?? .normal
            if number % 2 == 0 { task.cancel() }
            task.priority = .normal
            if number % 4 == 0 { task.cancel() }
            var finished = 0
            for await event in events {
              if case .finished = event { finished += 1 } else if finished > 0 { order.change { $0 += 1 } }
            }
            if finished != 1 || task.result == nil { order.change { $0 += 1 } }
          }
        }
      }
    }
    // One thread may see the end of a task before another thread has reported it.
    try await eventually(!ends.value.contains(0))
    await withCheckedContinuation { continuation in queue.async(flags: .barrier) { continuation.resume() } }
    #expect(ends.value.allSatisfy { $0 == 1 })
    #expect(order.value == 0)
    try await eventually(fixture.pipeline.loadSubscriberCount == 0)
  }

  @Test(
    "two thousand random starts and cancellations: every task ends once, with a picture or a cancellation")
  func storm() async throws {
    let fixture = Fixture { $0.caching.memoryCache.costLimit = 1 << 20 }
    let urls = try (0..<5).map { try fixture.serve("\($0).jpg", PatternPicture(PixelSize(40, 30), tint: $0)) }
    let counts = Shared((pictures: 0, cancellations: 0, others: 0))
    await withTaskGroup { group in
      for number in 0..<2000 {
        group.addTask {
          let policy: CachePolicy = number % 4 == 0 ? .reload : .useCaches
          let task = fixture.pipeline.task(for: ImageRequest(url: urls[number % 5], cachePolicy: policy))
          if number % 3 == 0 { await Task.yield() }
          if number % 2 == 0 { task.cancel() }
          do throws(ImageError) {
            let picture = try await task.image
            let isRight = PatternPicture(PixelSize(40, 30), tint: number % 5).resembles(picture.bitmap)
            counts.change { if isRight { $0.pictures += 1 } else { $0.others += 1 } }
          } catch {
            counts.change { if error.isCancellation { $0.cancellations += 1 } else { $0.others += 1 } }
          }
        }
      }
    }
    let (pictures, cancellations, others) = counts.value
    #expect(pictures + cancellations == 2000)
    #expect(pictures >= 1000)
    #expect(others == 0)
  }
}
