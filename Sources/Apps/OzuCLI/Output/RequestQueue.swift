import OzuBase
import OzuHTTP

/// Decides which request is performed next: requests for one address one after the other, others at the same time, up to a
/// limit.
///
/// A Swift task performs one request after the other, so that the end of a request need not wake another task. One lock
/// guards everything.
final class RequestQueue: Sendable {
  struct Job: Sendable {
    let id: JSON
    let request: HTTPRequest
    let mode: HTTPCacheMode
    /// Requests with the same address wait for each other.
    let address: String
  }

  private struct State {
    /// The addresses of the requests that run or are ready, each with the requests that wait for it.
    var waiting: [String: [Job]] = [:]
    var waitingCount = 0
    /// Requests that only wait for a task, the oldest first.
    var ready: [Job] = []
    var taskCount = 0
    /// The reader of the lines, while it waits for room.
    var reader: CheckedContinuation<Void, Never>?

    var isFull: Bool {
      ready.count >= RequestQueue.maximumReadyCount || waitingCount >= RequestQueue.maximumWaitingCount
    }
  }

  private static let maximumTaskCount = 64
  /// Reading stops at this number of ready requests.
  private static let maximumReadyCount = 128
  /// Reading continues at this number of ready requests.
  private static let refillCount = 64
  /// The largest number of requests that wait for another one with their address.
  private static let maximumWaitingCount = 1024

  private let state = Mutex(State())

  /// Adds a request. Returns true when the caller must start a task that performs it.
  func add(_ job: Job) -> Bool {
    state.withLock { state in
      guard state.waiting[job.address] == nil else {
        state.waiting[job.address]?.append(job)
        state.waitingCount += 1
        return false
      }
      state.waiting[job.address] = []
      guard state.taskCount < Self.maximumTaskCount else {
        state.ready.append(job)
        return false
      }
      state.taskCount += 1
      return true
    }
  }

  /// Notes that a request has ended. Returns the next request for its task; nil when the task ends.
  func next(after address: String) -> Job? {
    let (job, reader) = state.withLock { state in
      let job = Self.next(after: address, &state)
      guard state.ready.count <= Self.refillCount, !state.isFull else {
        return (job, CheckedContinuation<Void, Never>?.none)
      }
      defer { state.reader = nil }
      return (job, state.reader)
    }
    reader?.resume()
    return job
  }

  private static func next(after address: String, _ state: inout State) -> Job? {
    if state.waiting[address]?.isEmpty == false, let job = state.waiting[address]?.removeFirst() {
      state.waitingCount -= 1
      return job
    }
    state.waiting[address] = nil
    if !state.ready.isEmpty { return state.ready.removeFirst() }
    state.taskCount -= 1
    return nil
  }

  /// Whether no other request runs or waits.
  func isLast(_ job: Job) -> Bool {
    state.withLock { $0.taskCount == 1 && $0.ready.isEmpty && $0.waiting[job.address]?.isEmpty == true }
  }

  /// Whether the reader of the lines waits for room.
  var isReaderWaiting: Bool { state.withLock { $0.reader != nil } }

  /// Returns when there is room for more.
  func room() async {
    guard state.withLock({ $0.isFull }) else { return }
    await withCheckedContinuation { continuation in
      let isFull = state.withLock { state in
        if state.isFull { state.reader = continuation }
        return state.isFull
      }
      if !isFull { continuation.resume() }
    }
  }
}
