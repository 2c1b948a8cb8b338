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
    fileprivate let cell: PriorityCell

    /// The urgency of the most urgent subscriber; it changes as they come, go and change their minds.
    var priority: LivePriority { .changing(cell) }

    /// How many wait for the job.
    var subscriberCount: Int { jobs.subscriberCount(of: self) }

    /// Tells all subscribers, those that join later included.
    func report(_ progress: LoadProgress) { jobs.report(progress, from: self) }

    /// Shows all subscribers a part of the picture.
    func report(preview: Picture) { jobs.report(preview, from: self) }
  }

  private struct Subscriber {
    let continuation: CheckedContinuation<Outcome, Never>
    var priority: ImagePriority
    let onProgress: (@Sendable (LoadProgress) -> Void)?
    let onPreview: (@Sendable (Picture) -> Void)?
  }

  /// A class, so that a look at a job never copies its table of subscribers. Only touched under the lock.
  private final class Job {
    let id: Int
    let cell: PriorityCell
    var subscribers: [Int: Subscriber] = [:]
    /// How many subscribers there are of each urgency: their maximum in constant time.
    var counts = ImagePriority.allCases.map { _ in 0 }
    var task: Task<Void, Never>?
    var progress: LoadProgress?

    init(id: Int, cell: PriorityCell) {
      self.id = id
      self.cell = cell
    }

    var priority: ImagePriority {
      counts.lastIndex { $0 > 0 }.flatMap(ImagePriority.init(rawValue:)) ?? .veryLow
    }

    func add(_ subscriber: Subscriber, id: Int) {
      subscribers[id] = subscriber
      counts[subscriber.priority.rawValue] += 1
    }

    func remove(_ id: Int) -> Subscriber? {
      guard let subscriber = subscribers.removeValue(forKey: id) else { return nil }
      counts[subscriber.priority.rawValue] -= 1
      return subscriber
    }

    func change(_ id: Int, to priority: ImagePriority) {
      guard let old = subscribers[id]?.priority else { return }
      counts[old.rawValue] -= 1
      counts[priority.rawValue] += 1
      subscribers[id]?.priority = priority
    }
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

  /// The number of those who wait for them.
  var subscriberCount: Int { state.withLock { $0.jobs.values.reduce(0) { $0 + $1.subscribers.count } } }

  private func subscriberCount(of handle: Handle) -> Int {
    state.withLock { state in
      guard let job = state.jobs[handle.key], job.id == handle.id else { return 0 }
      return job.subscribers.count
    }
  }

  /// The outcome of the job of `key`, which is started unless it runs already.
  ///
  /// - Parameters:
  ///   - cancellation: what to throw when the calling task is cancelled.
  ///   - onProgress: called outside of all locks, in order.
  /// - Returns: the value, and whether another subscriber had started the job.
  func value(
    for key: Key, priority: LivePriority, cancellation: ImageError,
    onProgress: (@Sendable (LoadProgress) -> Void)? = nil,
    onPreview: (@Sendable (Picture) -> Void)? = nil, operation: @escaping Operation
  ) async throws(ImageError) -> (value: Value, isShared: Bool) {
    let ticket = Ticket(id: state.withLock { $0.makeID() })
    let observation: Observation? =
      if case .changing(let cell) = priority { Observation(cell) } else { nil }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let subscriber = Subscriber(
          continuation: continuation, priority: priority.value, onProgress: onProgress,
          onPreview: onPreview)
        join(key, subscriber, ticket: ticket, cancellation: cancellation, operation: operation)
        guard let observation else { return }
        observation.begin { [weak self] in self?.change(key, ticket: ticket, to: priority.value) }
        // What changed before the observation began.
        change(key, ticket: ticket, to: priority.value)
      }
    } onCancel: {
      leave(key, ticket: ticket)?.resume(returning: .failure(cancellation))
    }
    observation?.end()
    return (try outcome.get(), ticket.hasJoinedOther)
  }

  /// The same at an urgency that stays.
  func value(
    for key: Key, priority: ImagePriority, cancellation: ImageError,
    onProgress: (@Sendable (LoadProgress) -> Void)? = nil, operation: @escaping Operation
  ) async throws(ImageError) -> (value: Value, isShared: Bool) {
    try await value(
      for: key, priority: .fixed(priority), cancellation: cancellation, onProgress: onProgress,
      operation: operation)
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
    case joined(LoadProgress?, PriorityCell)
    case started(Handle)
  }

  private func join(
    _ key: Key, _ subscriber: Subscriber, ticket: Ticket, cancellation: ImageError,
    operation: @escaping Operation
  ) {
    let admission = state.withLock { state -> Admission in
      if ticket.isCancelled { return .refused }
      if let job = state.jobs[key] {
        job.add(subscriber, id: ticket.id)
        ticket.hasJoinedOther = true
        return .joined(job.progress, job.cell)
      }
      let handle = Handle(
        jobs: self, key: key, id: state.makeID(), cell: PriorityCell(subscriber.priority))
      let job = Job(id: handle.id, cell: handle.cell)
      job.add(subscriber, id: ticket.id)
      state.jobs[key] = job
      return .started(handle)
    }
    switch admission {
    case .refused: subscriber.continuation.resume(returning: .failure(cancellation))
    case .joined(let progress, let cell):
      updatePriority(of: key, cell)
      if let progress { subscriber.onProgress?(progress) }
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

  private enum Departure {
    case unknown
    case one(CheckedContinuation<Outcome, Never>, PriorityCell)
    case last(CheckedContinuation<Outcome, Never>, Task<Void, Never>?)
  }

  private func leave(_ key: Key, ticket: Ticket) -> CheckedContinuation<Outcome, Never>? {
    let departure = state.withLock { state -> Departure in
      ticket.isCancelled = true
      guard let subscriber = state.jobs[key]?.remove(ticket.id), let job = state.jobs[key] else {
        return .unknown
      }
      guard job.subscribers.isEmpty else { return .one(subscriber.continuation, job.cell) }
      state.jobs[key] = nil
      return .last(subscriber.continuation, job.task)
    }
    switch departure {
    case .unknown: return nil
    case .one(let continuation, let cell):
      updatePriority(of: key, cell)
      return continuation
    case .last(let continuation, let task):
      task?.cancel()
      return continuation
    }
  }

  private func change(_ key: Key, ticket: Ticket, to priority: ImagePriority) {
    let cell = state.withLock { state -> PriorityCell? in
      state.jobs[key]?.change(ticket.id, to: priority)
      return state.jobs[key]?.cell
    }
    if let cell { updatePriority(of: key, cell) }
  }

  /// Brings the job's cell in line with its subscribers; called after the lock that they were changed under.
  private func updatePriority(of key: Key, _ cell: PriorityCell) {
    // The cell's lock is taken before that of the jobs here, and nowhere the other way round.
    cell.update {
      state.withLock { state in
        guard let job = state.jobs[key], job.cell === cell else { return .veryLow }
        return job.priority
      }
    }
  }

  private func report(_ preview: Picture, from handle: Handle) {
    let closures = state.withLock { state -> [@Sendable (Picture) -> Void] in
      guard let job = state.jobs[handle.key], job.id == handle.id else { return [] }
      return job.subscribers.values.compactMap(\.onPreview)
    }
    for closure in closures { closure(preview) }
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
