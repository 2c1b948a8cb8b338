import OzuHTTP
import OzuSynchronization

/// Says which request is performed next: those of one address one after the other, others at the same time, a bounded
/// number of them.
///
/// A lane is a Swift task that performs one request after the other, so that one that ends wakes nobody. One lock guards
/// everything.
final class RequestQueue: Sendable {
  struct Job: Sendable {
    let id: JSON
    let request: HTTPRequest
    let mode: HTTPCacheMode
    /// What tells whether another request has to wait for this one.
    let address: String
  }

  private struct State {
    /// The addresses of the requests that run or are ready, and behind each the requests that wait for it.
    var waiting: [String: [Job]] = [:]
    var waitingCount = 0
    /// What could run if there were a lane, the oldest last.
    var ready: [Job] = []
    /// The same, as it comes.
    var arrived: [Job] = []
    var laneCount = 0
    /// Who reads the lines, while there is no room.
    var reader: CheckedContinuation<Void, Never>?

    var readyCount: Int { ready.count + arrived.count }
    var isFull: Bool {
      readyCount >= RequestQueue.maximumReadyCount || waitingCount >= RequestQueue.maximumWaitingCount
    }

    mutating func popReady() -> Job? {
      if ready.isEmpty {
        ready = arrived.reversed()
        arrived.removeAll(keepingCapacity: true)
      }
      return ready.popLast()
    }
  }

  private static let maximumLaneCount = 64
  /// How many requests are ready at most, and to how many they sink before more are read.
  private static let maximumReadyCount = 128
  private static let refillCount = 64
  /// How many requests wait at most for another of their address.
  private static let maximumWaitingCount = 1024

  private let state = Mutex(State())

  /// Takes a request in. Returns true when a new lane has to begin with it.
  func add(_ job: Job) -> Bool {
    state.withLock { state in
      guard state.waiting[job.address] == nil else {
        state.waiting[job.address]?.append(job)
        state.waitingCount += 1
        return false
      }
      state.waiting[job.address] = []
      guard state.laneCount < Self.maximumLaneCount else {
        state.arrived.append(job)
        return false
      }
      state.laneCount += 1
      return true
    }
  }

  /// Notes that a request has ended. Returns what its lane performs next; nil where the lane ends.
  func next(after address: String) -> Job? {
    let (job, reader) = state.withLock { state in
      let job = Self.next(after: address, &state)
      guard state.readyCount <= Self.refillCount, !state.isFull else {
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
    if let job = state.popReady() { return job }
    state.laneCount -= 1
    return nil
  }

  /// Whether no other request runs or waits.
  func isLast(_ job: Job) -> Bool {
    state.withLock { $0.laneCount == 1 && $0.readyCount == 0 && $0.waiting[job.address]?.isEmpty == true }
  }

  /// Whether who reads the lines waits for room.
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
