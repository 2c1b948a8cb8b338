import OzuSynchronization

/// What one running job is doing: written by the job as it goes from stage to stage, read by who asks for a
/// diagnosis. One short lock each.
final class JobActivity: Sendable {
  /// The line a job stands in.
  enum Line: Sendable {
    case slots(Slots, Int)
    case queue(WorkQueue, Int)

    /// How many go first; `nil` when it is its turn already.
    var position: Int? {
      switch self {
      case .slots(let slots, let id): slots.position(of: id)
      case .queue(let queue, let id): queue.position(of: id)
      }
    }
  }

  struct Snapshot: Sendable {
    var stage: PipelineDiagnostics.Waiting
    var since: ContinuousClock.Instant
    var line: Line?
  }

  let kind: PipelineDiagnostics.Kind
  let request: ImageRequest
  let priority: LivePriority
  let start: ContinuousClock.Instant
  /// The pipeline's clock. It may be the app's, so it is read under no lock.
  let now: @Sendable () -> ContinuousClock.Instant
  private let subscribers: @Sendable () -> Int
  private let state: Mutex<Snapshot>

  init(
    _ kind: PipelineDiagnostics.Kind, of request: ImageRequest, priority: LivePriority,
    now: @escaping @Sendable () -> ContinuousClock.Instant, subscribers: @escaping @Sendable () -> Int
  ) {
    self.kind = kind
    self.request = request
    self.priority = priority
    self.now = now
    self.subscribers = subscribers
    start = now()
    state = Mutex(Snapshot(stage: .starting, since: start, line: nil))
  }

  /// Goes over to another stage.
  func enter(_ stage: PipelineDiagnostics.Waiting) {
    let time = now()
    state.withLock { $0 = Snapshot(stage: stage, since: time, line: nil) }
  }

  /// Stands in the line of a queue.
  func wait(in queue: WorkQueue, _ id: Int) {
    state.withLock { $0.line = .queue(queue, id) }
  }

  /// Stands in the line for a slot. Reads no clock: the caller holds the lock of the slots.
  func wait(in slots: Slots, _ id: Int, since time: ContinuousClock.Instant) {
    state.withLock { $0 = Snapshot(stage: .slot, since: time, line: .slots(slots, id)) }
  }

  /// What it is about; put together when somebody asks.
  var name: String { kind == .load ? request.label : request.source.name }

  var snapshot: Snapshot { state.withLock { $0 } }
  var subscriberCount: Int { subscribers() }
}

/// The jobs that are running. One lock guards the list.
final class JobBoard: Sendable {
  private struct State {
    var lastID = 0
    var activities: [Int: JobActivity] = [:]
  }

  private let state = Mutex(State())

  func add(_ activity: JobActivity) -> Int {
    state.withLock { state in
      state.lastID += 1
      state.activities[state.lastID] = activity
      return state.lastID
    }
  }

  func remove(_ id: Int) {
    // Released outside of the lock, with its request.
    _ = state.withLock { $0.activities.removeValue(forKey: id) }
  }

  /// The running jobs, the oldest first.
  var activities: [JobActivity] {
    state.withLock { $0.activities.sorted { $0.key < $1.key }.map(\.value) }
  }
}
