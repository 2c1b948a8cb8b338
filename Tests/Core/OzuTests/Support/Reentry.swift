import Dispatch
import OzuBase
import OzuTesting

@testable import Ozu

/// Code of an app that is called by a pipeline, and itself calls the pipeline and a task.
final class Reentry: Sendable {
  // Its calls may call it again, for example through the clock: then it does nothing.
  @TaskLocal private static var isInside = false

  let pipeline = Shared<ImagePipeline?>(nil)
  let task = Shared<ImageTask?>(nil)
  private let calls = Atomic(0)

  /// The number of its calls of the pipeline.
  var count: Int { calls.load(ordering: .relaxed) }

  /// Calls functions that return at once. If one takes a lock that the calling thread holds, the process ends.
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

  /// Cancels the objects that it refers to, so that they can be released.
  func forget() {
    pipeline.change { $0 = nil }
    task.change { $0 = nil }
  }
}

/// A gate at which threads wait until a test opens it for good. Not for threads of Swift's cooperative pool.
final class Hold: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let arrivals = Atomic(0)

  /// The number of threads that have arrived.
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
