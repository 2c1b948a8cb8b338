import Dispatch
import OzuSynchronization

/// Runs blocking or heavy work on threads of its own, a fixed number at a time, the most urgent first.
///
/// Swift's cooperative pool has one thread per core and none to spare: file reads and decoding come here
/// instead, and the awaiting task is resumed when they are done.
final class WorkQueue: Sendable {
  private struct State {
    var waiting = PriorityFIFO<@Sendable () -> Void>()
    var runningCount = 0
  }

  private let state = Mutex(State())
  private let width: Int
  private let threads: DispatchQueue

  /// Makes a queue that runs at most `width` pieces of work at once.
  init(label: String, width: Int) {
    self.width = max(1, width)
    threads = DispatchQueue(label: "ozu.\(label)", attributes: .concurrent)
  }

  /// Runs work and returns its result.
  ///
  /// Work whose task is cancelled while it waits is still run when its turn comes, with the flag raised; it is
  /// expected to look and return at once.
  func run<Value: Sendable>(
    priority: ImagePriority, _ work: @escaping @Sendable (CancellationFlag) -> Value
  ) async -> Value {
    let flag = CancellationFlag()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        enqueue(priority: priority) { continuation.resume(returning: work(flag)) }
      }
    } onCancel: {
      flag.raise()
    }
  }

  /// Runs work some time; nobody waits for it.
  func enqueue(priority: ImagePriority, _ work: @escaping @Sendable () -> Void) {
    let startsThread = state.withLock { state in
      state.waiting.append(work, priority: priority)
      guard state.runningCount < width else { return false }
      state.runningCount += 1
      return true
    }
    if startsThread { threads.async { self.drain() } }
  }

  private func drain() {
    while let work = next() { work() }
  }

  /// The next work of the calling thread; without any, the thread gives up its place.
  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      if let work = state.waiting.popFirst() { return work }
      state.runningCount -= 1
      return nil
    }
  }
}
