import Dispatch
import OzuSynchronization
import OzuTesting

@testable import Ozu

/// Code of an app that is called by a pipeline, and calls the pipeline and a task of it in turn.
final class Reentry: Sendable {
  // What it calls may call it again, as a clock does: then it calls nothing.
  @TaskLocal private static var isInside = false

  let pipeline = Shared<ImagePipeline?>(nil)
  let task = Shared<ImageTask?>(nil)
  private let calls = Atomic(0)

  /// How many times it has called the pipeline.
  var count: Int { calls.load(ordering: .relaxed) }

  /// Calls what takes no time. Ends the process when that takes a lock that the calling thread holds.
  func call() {
    guard !Self.isInside, let pipeline = pipeline.value else { return }
    Self.$isInside.withValue(true) {
      _ = pipeline.statistics
      _ = pipeline.diagnostics()
      _ = pipeline.formats
      _ = pipeline.cachedImage(for: Fixture.url("reentry.jpg"))
      _ = pipeline.diskCache
      if let task = task.value {
        _ = task.result
        _ = task.status
        task.priority = task.priority
      }
    }
    calls.add(1, ordering: .relaxed)
  }

  /// Ends what it refers to, so that they can be released.
  func forget() {
    pipeline.change { $0 = nil }
    task.change { $0 = nil }
  }
}

/// A place at which threads wait until a test releases it for good. Not for threads of Swift's cooperative pool.
final class Hold: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let arrivals = Atomic(0)

  /// How many have come.
  var count: Int { arrivals.load(ordering: .sequentiallyConsistent) }

  func wait() {
    arrivals.add(1, ordering: .sequentiallyConsistent)
    semaphore.wait()
    semaphore.signal()
  }

  func release() { semaphore.signal() }
}

/// An object that calls a closure when it is released.
final class Tracer: Sendable {
  private let onRelease: @Sendable () -> Void

  init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }

  deinit { onRelease() }
}
