extension ImagePipeline {
  /// The queues of a pipeline.
  public enum QueueKind: String, Hashable, Sendable, CaseIterable {
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

  /// The current jobs of the pipeline, and what each of them waits for.
  ///
  /// - Complexity: O(jobs × waiting jobs); for debugging, not for a loop.
  public func diagnostics() -> PipelineDiagnostics {
    let now = configuration.instant
    let (snapshots, stations) = context.runner.look { graph in
      (graph.snapshots, StationID.allCases.map { graph.station($0) })
    }
    let queues = QueueKind.allCases.map { kind in
      PipelineDiagnostics.Queue(kind, kind.stations.map { stations[$0.index] })
    }
    let jobs = snapshots.sorted { $0.creation < $1.creation }.compactMap {
      PipelineDiagnostics.Job($0, now: now)
    }
    return PipelineDiagnostics(
      jobs: PipelineDiagnostics.Kind.allCases.flatMap { kind in jobs.filter { $0.kind == kind } },
      queues: queues, backlogByteCount: context.backlog.byteCount,
      isolation: isolation?.status)
  }

  /// Suspends or resumes a queue; for tests (`OzuTesting`).
  package func setSuspended(_ isSuspended: Bool, _ kind: QueueKind) {
    for station in kind.stations { context.runner.setSuspended(station, isSuspended) }
  }

  /// The number of jobs that wait in a queue; for tests (`OzuTesting`).
  package func waitingCount(_ kind: QueueKind) -> Int {
    context.runner.look { graph in kind.stations.reduce(0) { $0 + graph.queuedCount(in: $1) } }
  }
}

extension ImagePipeline.QueueKind {
  var stations: [StationID] {
    switch self {
    case .data: [.network]
    case .decode: [.decode]
    case .encode: [.encode]
    case .disk: [.disk, .files]
    case .store: [.store]
    }
  }
}

extension PipelineDiagnostics.Queue {
  fileprivate init(_ kind: ImagePipeline.QueueKind, _ stations: [Station]) {
    self.init(
      kind: kind, limit: stations.reduce(0) { $0 + $1.width },
      runningCount: stations.reduce(0) { $0 + $1.runningCount },
      waitingCount: stations.reduce(0) { $0 + $1.queuedCount },
      abandonedCount: stations.reduce(0) { $0 + $1.abandonedCount },
      isSuspended: stations.allSatisfy(\.isSuspended))
  }
}

extension PipelineDiagnostics.Job {
  /// `nil` for work without a request: writes, and internal work of the pipeline.
  fileprivate init?(_ job: JobRunner.Graph.Snapshot, now: JobInstant) {
    let (kind, name): (PipelineDiagnostics.Kind, String)
    switch job.payload {
    case let load as LoadImage: (kind, name) = (.load, load.request.label)
    case let encode as EncodeImage: (kind, name) = (.load, encode.goal.request.label)
    case let fetch as FetchWork: (kind, name) = (.download, fetch.request.source.name)
    case let step as StepWork: (kind, name) = (.render, step.chain.source.name)
    default: return nil
    }
    self.init(
      kind: kind, name: name, waitingFor: PipelineDiagnostics.Waiting(job),
      waitingTime: job.since.duration(to: now), age: job.creation.duration(to: now),
      queuePosition: job.position, subscriberCount: job.subscriberCount, priority: job.level)
  }
}

extension PipelineDiagnostics.Waiting {
  fileprivate init(_ job: JobRunner.Graph.Snapshot) {
    self =
      switch job.state {
      case .parked:
        switch job.dependency {
        case is FetchWork: .download
        case is LoadImage: .larger
        case is StoreWork: .backlog
        default: .step
        }
      case .queued(.disk), .queued(.files), .running(.disk), .running(.files): .disk
      case .queued(.network): .slot
      case .running(.network): .network
      case .queued(.decode): .decoder
      case .running(.decode): (job.payload as? StepWork)?.isProcessing == true ? .processing : .decoding
      default: .starting
      }
  }
}

extension ImageStage {
  /// The stage of a load, for the error of a deadline.
  init(_ standing: JobStanding<JobWork>) {
    self =
      switch standing.payload {
      case is FetchWork: .network
      case let step as StepWork:
        if standing.isRunning { step.isProcessing ? .process : .decode } else { .wait }
      case is EncodeImage where standing.isRunning && standing.station == .decode: .encode
      case is LoadImage, is EncodeImage: standing.station == .disk ? .read : .total
      default: .total
      }
  }
}
