import Foundation
import OzuMigration
import OzuTesting
import Testing

@testable import Ozu

/// The synchronous calls that must not wait, while no call to the file system returns.
@Suite("Calls that never wait for the disk", .timeLimit(.minutes(15)))
struct NeverWaitsTests {
  @Test(
    "a task is started, inspected and cancelled while every read and write of the disk hangs",
    arguments: [false, true])
  func hangingDisk(afterCrash: Bool) async throws {
    let files = MemoryFileSystem()
    let first = Fixture(files: files)
    let stored = try first.serve("stored.jpg") { $0.header("Cache-Control", "max-age=600") }
    let format = CacheFormat("a", size: PixelSize(32, 24), diskCapacity: 1 << 20)
    let request = ImageRequest(url: stored, format: format)
    _ = try await first.pipeline.image(for: request)
    await first.pipeline.flush()
    if afterCrash {
      files.crash()
      files.restart(losing: .nothing)
    }

    let fixture = Fixture(files: afterCrash ? files : MemoryFileSystem())
    let pipeline = fixture.pipeline
    _ = try await pipeline.image(for: ImageRequest(.data(Fixture.photo.data(as: .jpeg), key: "shown")))
    await pipeline.flush()
    let disk = try #require(pipeline.diskCache)

    // Many loads, so that a new one waits before it begins.
    pipeline.suspend(.data)
    let crowd = (0..<200).map { pipeline.task(for: Fixture.url("\($0).jpg")) }
    try await eventually(pipeline.waitingCount(on: .data) > 0)
    defer { for task in crowd { task.cancel() } }

    let hold = Hold()
    defer { hold.release() }
    fixture.files.respond = { _ in
      hold.wait()
      return .proceed
    }
    Thread.detachNewThread { _ = disk.store(Data(count: 1000), forKey: CacheKey("big")) }
    try await eventually(hold.count == 1)

    let calls = Shared(0)
    Thread.detachNewThread {
      let tasks = [
        pipeline.task(for: Fixture.url("new.jpg")), pipeline.task(for: stored), pipeline.task(for: request),
        pipeline.task(for: ImageRequest(url: Fixture.url("other.jpg"), format: format)),
      ]
      calls.change { $0 += 1 }
      _ = pipeline.cachedImage(for: ImageRequest(.data(Data(), key: "shown")))
      _ = pipeline.cachedImage(for: request)
      _ = pipeline.cachedImage(ofSourceOf: request)
      calls.change { $0 += 1 }
      _ = pipeline.statistics
      _ = pipeline.diagnostics()
      _ = pipeline.memoryCacheStatistics
      calls.change { $0 += 1 }
      for task in tasks { task.priority = .veryHigh }
      for task in tasks { _ = task.status }
      for task in tasks { task.cancel() }
      calls.change { $0 += 1 }
      pipeline.setImage(nil, forKey: "shown")
      pipeline.register(CacheFormat("b", size: PixelSize(8, 8), diskCapacity: 1 << 20))
      format.diskCapacity = 1 << 19
      pipeline.removeImagesFromMemory()
      calls.change { $0 += 1 }
    }
    var isDone = true
    do { try await eventually(calls.value == 5) } catch { isDone = false }
    #expect(isDone, "\(calls.value) of 5 groups of calls have returned")
  }
}
