import Foundation
import OzuBase
import OzuTesting
import Testing

@testable import Ozu

@Suite("Writes to the stores", .timeLimit(.minutes(5)))
struct StoreBacklogTests {
  private final class Reader: JobWaiter {
    func jobEnded(_ work: JobWork) {}
  }

  /// Adds writes without end: each adds the next one.
  private static func addWrites(to backlog: StoreBacklog, until isOver: Shared<Bool>) {
    backlog.enqueue { if !isOver.value { Self.addWrites(to: backlog, until: isOver) } }
  }

  @Test("a drain waits for the writes before it, and not for those that are added without end")
  func endlessWrites() async {
    let pipeline = ImagePipeline { $0.caching.diskStorage = .none }
    let (backlog, isOver) = (pipeline.context.backlog, Shared(false))
    Self.addWrites(to: backlog, until: isOver)
    let isWritten = Shared(false)
    backlog.enqueue { isWritten.change { $0 = true } }
    await backlog.drain()
    #expect(isWritten.value)
    isOver.change { $0 = true }
    await backlog.drain()
  }

  @Test("a write is made, and counted as over, also if it is found while it is added")
  func foundWhileAdded() async throws {
    let pipeline = ImagePipeline { $0.caching.diskStorage = .none }
    let (runner, backlog, source) = (pipeline.context.runner, pipeline.context.backlog, CacheKey("a"))
    let written = Atomic(0)
    let isOver = Atomic(false)
    // On a thread of its own: while a thread of the system's pool runs without a pause, the pool gets no further threads, and
    // other tests may hold the rest.
    async let reading: Void = withCheckedContinuation { end in
      Thread.detachNewThread {
        while !isOver.load(ordering: .relaxed) {
          if let write = backlog.writing(originalOf: source) {
            _ = runner.subscribe(Reader(), to: write.key, priority: .normal, make: write.make)
          }
        }
        end.resume()
      }
    }
    let count = 5_000
    for _ in 0..<count {
      backlog.enqueue(originalOf: source) { written.add(1, ordering: .relaxed) }
    }
    try await eventually(written.load(ordering: .relaxed) == count)
    isOver.store(true, ordering: .relaxed)
    await reading
    await backlog.drain()
  }
}
