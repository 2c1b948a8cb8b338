import OzuSynchronization

/// Work that is done once for everybody who wants its result at the same time.
///
/// The first subscriber of a key starts a job, later ones join it. All get one outcome. A subscriber whose task
/// is cancelled leaves at once with a cancellation; when the last one has left, the job's own task is cancelled
/// and the key is free again, so that a newcomer starts afresh instead of joining a dying job.
///
/// One lock guards everything here. It is held to look up and to link, never while anything runs: operations,
/// progress closures and resumptions all happen outside.
///
/// - Complexity: O(1) to join, to leave and to report; O(subscribers) to finish.
final class SharedJobs<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, ImageError>
  typealias Operation = @Sendable (Handle) async -> Outcome

  /// What a running job knows of its subscribers.
  struct Handle: Sendable {
    fileprivate let jobs: SharedJobs
    fileprivate let key: Key
    fileprivate let id: Int

    /// The urgency of the most urgent subscriber now.
    var priority: ImagePriority { jobs.priority(of: self) }

    /// Tells all subscribers, those that join later included.
    func report(_ progress: LoadProgress) { jobs.report(progress, from: self) }
  }

  private struct Subscriber {
    let continuation: CheckedContinuation<Outcome, Never>
    let priority: ImagePriority
    let onProgress: (@Sendable (LoadProgress) -> Void)?
  }

  private struct Job {
    let id: Int
    var subscribers: [Int: Subscriber] = [:]
    var task: Task<Void, Never>?
    var progress: LoadProgress?
  }

  private struct State {
    var jobs: [Key: Job] = [:]
    var lastID = 0

    mutating func makeID() -> Int {
      lastID += 1
      return lastID
    }
  }

  private let state = Mutex(State())

  /// The number of jobs that are running.
  var count: Int { state.withLock { $0.jobs.count } }

  /// The outcome of the job of `key`, which is started unless it runs already.
  ///
  /// - Parameters:
  ///   - cancellation: what to throw when the calling task is cancelled.
  ///   - onProgress: called outside of all locks, in order.
  /// - Returns: the value, and whether another subscriber had started the job.
  func value(
    for key: Key, priority: ImagePriority, cancellation: ImageError,
    onProgress: (@Sendable (LoadProgress) -> Void)? = nil, operation: @escaping Operation
  ) async throws(ImageError) -> (value: Value, isShared: Bool) {
    let ticket = Ticket(id: state.withLock { $0.makeID() })
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let subscriber = Subscriber(continuation: continuation, priority: priority, onProgress: onProgress)
        join(key, subscriber, ticket: ticket, cancellation: cancellation, operation: operation)
      }
    } onCancel: {
      leave(key, ticket: ticket)?.resume(returning: .failure(cancellation))
    }
    return (try outcome.get(), ticket.hasJoinedOther)
  }

  /// One call of `value(for:)`: survives in the cancellation handler, which may run before the subscriber is
  /// there. Both flags are written under the lock of the jobs.
  private final class Ticket: Sendable {
    let id: Int
    private let cancelled = Atomic(false)
    private let joinedOther = Atomic(false)

    init(id: Int) { self.id = id }

    var isCancelled: Bool {
      get { cancelled.load(ordering: .relaxed) }
      set { cancelled.store(newValue, ordering: .relaxed) }
    }

    var hasJoinedOther: Bool {
      get { joinedOther.load(ordering: .relaxed) }
      set { joinedOther.store(newValue, ordering: .relaxed) }
    }
  }

  private enum Admission {
    case refused
    case joined(LoadProgress?)
    case started(Handle)
  }

  private func join(
    _ key: Key, _ subscriber: Subscriber, ticket: Ticket, cancellation: ImageError,
    operation: @escaping Operation
  ) {
    let admission = state.withLock { state -> Admission in
      if ticket.isCancelled { return .refused }
      if state.jobs[key] != nil {
        state.jobs[key]?.subscribers[ticket.id] = subscriber
        ticket.hasJoinedOther = true
        return .joined(state.jobs[key]?.progress)
      }
      let handle = Handle(jobs: self, key: key, id: state.makeID())
      state.jobs[key] = Job(id: handle.id, subscribers: [ticket.id: subscriber])
      return .started(handle)
    }
    switch admission {
    case .refused: subscriber.continuation.resume(returning: .failure(cancellation))
    case .joined(let progress): if let progress { subscriber.onProgress?(progress) }
    case .started(let handle): start(handle, operation)
    }
  }

  private func start(_ handle: Handle, _ operation: @escaping Operation) {
    let task = Task.detached { self.finish(handle, await operation(handle)) }
    let isWanted = state.withLock { state in
      guard state.jobs[handle.key]?.id == handle.id else { return false }
      state.jobs[handle.key]?.task = task
      return true
    }
    // Everybody left, or the job ended, before the task had a place to be cancelled in.
    if !isWanted { task.cancel() }
  }

  private func finish(_ handle: Handle, _ outcome: Outcome) {
    let subscribers = state.withLock { state -> [Subscriber] in
      guard let job = state.jobs[handle.key], job.id == handle.id else { return [] }
      state.jobs[handle.key] = nil
      return Array(job.subscribers.values)
    }
    for subscriber in subscribers { subscriber.continuation.resume(returning: outcome) }
  }

  private func leave(_ key: Key, ticket: Ticket) -> CheckedContinuation<Outcome, Never>? {
    let (continuation, orphan) = state.withLock {
      state -> (CheckedContinuation<Outcome, Never>?, Task<Void, Never>?) in
      ticket.isCancelled = true
      guard let subscriber = state.jobs[key]?.subscribers.removeValue(forKey: ticket.id) else {
        return (nil, nil)
      }
      guard let job = state.jobs[key], job.subscribers.isEmpty else { return (subscriber.continuation, nil) }
      state.jobs[key] = nil
      return (subscriber.continuation, job.task)
    }
    orphan?.cancel()
    return continuation
  }

  private func priority(of handle: Handle) -> ImagePriority {
    state.withLock { state in
      guard let job = state.jobs[handle.key], job.id == handle.id else { return .normal }
      return job.subscribers.values.map(\.priority).max() ?? .normal
    }
  }

  private func report(_ progress: LoadProgress, from handle: Handle) {
    let closures = state.withLock { state -> [@Sendable (LoadProgress) -> Void] in
      guard let job = state.jobs[handle.key], job.id == handle.id else { return [] }
      state.jobs[handle.key]?.progress = progress
      return job.subscribers.values.compactMap(\.onProgress)
    }
    for closure in closures { closure(progress) }
  }
}
