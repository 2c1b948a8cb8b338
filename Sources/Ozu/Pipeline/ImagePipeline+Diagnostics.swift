extension ImagePipeline {
  /// The places where work waits for its turn.
  public enum ExecutorKind: String, Hashable, Sendable, CaseIterable {
    /// Downloads, and fetchers of the app.
    case data
    /// Decoding, resampling and processors.
    case decode
    /// Encoding of finished pictures for the disk cache.
    case encode
    /// Reads of the disk cache and of local files.
    case disk
    /// Writes to the disk cache.
    case store
  }

  /// What the pipeline is busy with now, and what each job is waiting for.
  ///
  /// - Complexity: O(jobs × waiting jobs); for people, not for a loop.
  public func diagnostics() -> PipelineDiagnostics {
    let now = parts.configuration.now()
    let activities = parts.board.activities
    let begun = { kind in
      activities.filter { $0.kind == kind }.map { PipelineDiagnostics.Job($0, now: now) }
    }
    let jobs = begun(.load) + parts.heldLoads(now: now) + begun(.download)
    return PipelineDiagnostics(
      jobs: jobs + parts.renders.diagnose(now: now),
      executors: ExecutorKind.allCases.map(parts.diagnosis),
      backlogByteCount: parts.backlog.byteCount)
  }

  /// Holds an executor back, or lets it go on; for tests (`OzuTesting`).
  package func setSuspended(_ isSuspended: Bool, _ kind: ExecutorKind) {
    parts.executor(kind).isSuspended = isSuspended
  }

  /// How many wait for an executor; for tests (`OzuTesting`).
  package func waitingCount(_ kind: ExecutorKind) -> Int {
    parts.waitingCount(kind)
  }
}

/// What bounds how much of a kind of work is done at once.
protocol Executing: AnyObject, Sendable {
  var limit: Int { get }
  var runningCount: Int { get }
  var waitingCount: Int { get }
  var isSuspended: Bool { get set }
}

extension WorkQueue: Executing {
  var limit: Int { width }
}

extension Slots: Executing {
  var limit: Int { count }
}

extension PipelineParts {
  func executor(_ kind: ImagePipeline.ExecutorKind) -> any Executing {
    switch kind {
    case .data: fetchSlots
    case .decode: decodeQueue
    case .encode: encodeQueue
    case .disk: diskQueue
    case .store: storeQueue
    }
  }

  /// How many wait for an executor, with those that do not begin before fewer do.
  func waitingCount(_ kind: ImagePipeline.ExecutorKind) -> Int {
    executor(kind).waitingCount + (kind == .data ? loads.heldCount : 0)
  }

  /// The loads that have not begun because too many wait for their downloads, from the oldest.
  func heldLoads(now: ContinuousClock.Instant) -> [PipelineDiagnostics.Job] {
    let jobs = loads.heldJobs.compactMap { job -> PipelineDiagnostics.Job? in
      guard let task = job.first as? ImageTask else { return nil }
      let age = task.start.duration(to: now)
      return PipelineDiagnostics.Job(
        kind: .load, name: task.request.label, waitingFor: .slot, waitingTime: age, age: age,
        queuePosition: nil, subscriberCount: job.subscriberCount, priority: job.level)
    }
    return jobs.sorted { $0.age > $1.age }
  }

  func diagnosis(_ kind: ImagePipeline.ExecutorKind) -> PipelineDiagnostics.Executor {
    let executor = executor(kind)
    return PipelineDiagnostics.Executor(
      kind: kind, limit: executor.limit, runningCount: executor.runningCount,
      waitingCount: waitingCount(kind), isSuspended: executor.isSuspended)
  }

  /// The stage in which the load of a request is, for an error that names it.
  func stage(of request: ImageRequest) -> ImageStage {
    let activity = board.activities.first { $0.kind == .load && $0.request.key == request.key }
    guard let waiting = activity?.snapshot.stage else {
      return loads.isHeld(.load(request, number: 0)) ? .network : .total
    }
    return (waiting == .step ? renders.waiting(of: request.key.rendition) ?? waiting : waiting).stage
  }
}

extension PipelineDiagnostics.Waiting {
  var stage: ImageStage {
    switch self {
    case .disk: .read
    case .download, .slot, .network: .network
    case .decoder, .larger: .wait
    case .step, .decoding: .decode
    case .processing: .process
    case .starting, .backlog: .total
    }
  }
}

extension PipelineDiagnostics.Job {
  init(_ activity: JobActivity, now: ContinuousClock.Instant) {
    let snapshot = activity.snapshot
    self.init(
      kind: activity.kind, name: activity.name, waitingFor: snapshot.stage,
      waitingTime: snapshot.since.duration(to: now), age: activity.start.duration(to: now),
      queuePosition: snapshot.line?.position, subscriberCount: activity.subscriberCount,
      priority: activity.priority.value)
  }
}
