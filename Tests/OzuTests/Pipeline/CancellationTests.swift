import Foundation
import OzuSynchronization
import OzuTesting
import Testing

@testable import Ozu

@Suite("Requests that are called off")
struct CancellationTests {
  private static func isCancellation(_ error: any Error) -> Bool {
    (error as? ImageError)?.isCancellation == true
  }

  @Test("the last one out cancels the download, and the next request starts a fresh one")
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

  @Test("one of two is called off: the other gets its picture from the same download")
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

  @Test("cancelling a Swift task that awaits a task calls it off")
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

  @Test("nothing is cached of a load that was called off half way")
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

  @Test(
    "two thousand random starts and cancellations: every task ends once, with a picture or a cancellation")
  func storm() async throws {
    let fixture = Fixture { $0.memoryCache.costLimit = 1 << 20 }
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
