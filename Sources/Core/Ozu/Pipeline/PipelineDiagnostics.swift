import OzuBase

/// The jobs of a pipeline at one moment, and what each of them waits for.
///
/// Helps to find out why a picture does not appear: `print(pipeline.diagnostics())`.
public struct PipelineDiagnostics: Sendable {
  /// The kinds of shared work.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// From a request to its picture.
    case load
    /// From a URL to bytes.
    case download
    /// One step from bytes to pixels.
    case render
  }

  /// The reasons for which a job can wait.
  public enum Waiting: String, Hashable, Sendable {
    /// The job has just begun.
    case starting
    /// A read of the disk cache, of a further store or of a file.
    case disk
    /// The download, which is a separate job.
    case download
    /// A place among the downloads.
    case slot
    /// The server, or the app's own fetcher.
    case network
    /// A larger picture of the same source that is being loaded.
    case larger
    /// The step before, which is a separate job; for a load, the last step.
    case step
    /// A decoding thread.
    case decoder
    /// A running decode.
    case decoding
    /// A running processor.
    case processing
    /// Room in the backlog of writes to the disk cache.
    case backlog
  }

  /// A running job.
  public struct Job: Sendable {
    /// The kind of work.
    public let kind: Kind
    /// The name of the source, and for a load also the recipe.
    public let name: String
    /// The event or place that it waits for.
    public let waitingFor: Waiting
    /// The duration of this wait so far.
    public let waitingTime: Duration
    /// The time since the job was created.
    public let age: Duration
    /// The number of jobs before it in its queue, for a download in that of its origin; `nil` if it is in no queue.
    public let queuePosition: Int?
    /// The number of its subscribers.
    public let subscriberCount: Int
    /// The priority of its most urgent subscriber.
    public let priority: ImagePriority
  }

  /// The jobs of one kind of work that wait for a place, and how many run at once.
  public struct Queue: Sendable {
    /// The kind of its work.
    public let kind: ImagePipeline.QueueKind
    /// The largest number of jobs at once.
    public let limit: Int
    /// The number of running jobs.
    public let runningCount: Int
    /// The number of waiting jobs.
    public let waitingCount: Int
    /// The number of downloads and fetchers that were cancelled and have not returned. They hold no place. A number
    /// that grows means a fetcher that ignores its cancellation.
    public let abandonedCount: Int
    /// Whether a test has suspended it.
    public let isSuspended: Bool
  }

  /// The jobs: loads, then downloads, then renders, each kind from the oldest.
  public let jobs: [Job]
  /// The queues.
  public let queues: [Queue]
  /// The bytes that wait to be written to the disk cache.
  public let backlogByteCount: Int
  /// The state of the isolation of decoders; `nil` if it is off.
  public let isolation: IsolationStatus?
}

extension PipelineDiagnostics: CustomStringConvertible {
  /// A line for each job and each queue.
  public var description: String {
    let lines = jobs.map(\.description) + queues.map(\.description)
    let others = ["backlog: \(backlogByteCount) bytes"] + (isolation.map { ["isolation: \($0)"] } ?? [])
    return (lines + others).joined(separator: "\n")
  }
}

extension PipelineDiagnostics.Job: CustomStringConvertible {
  /// One line, such as `load https://example.com/a.jpg: waiting 1.25 s for slot (3 ahead), normal, 2 subscribers`.
  public var description: String {
    let place = queuePosition.map { " (\($0) ahead)" } ?? ""
    let name = PrintableText.oneLine(name)
    return
      "\(kind.rawValue) \(name): waiting \(waitingTime) for \(waitingFor.rawValue)\(place), "
      + "\(priority), \(subscriberCount) subscriber\(subscriberCount == 1 ? "" : "s"), age \(age)"
  }
}

extension PipelineDiagnostics.Queue: CustomStringConvertible {
  /// One line, such as `decode: 2 of 2 running, 14 waiting`.
  public var description: String {
    "\(kind.rawValue): \(runningCount) of \(limit) running, \(waitingCount) waiting"
      + (abandonedCount > 0 ? ", \(abandonedCount) abandoned" : "") + (isSuspended ? ", suspended" : "")
  }
}

extension PipelineDiagnostics {
  init(_ context: LoadContext, _ isolation: IsolationReport?) {
    let now = context.instant
    let (snapshots, stations) = context.runner.look { graph in
      (graph.snapshots, StationID.allCases.map { graph.station($0) })
    }
    let queues = ImagePipeline.QueueKind.allCases.map { kind in
      Queue(kind, kind.stations.map { stations[$0.index] })
    }
    let jobs = snapshots.sorted { $0.creation < $1.creation }.compactMap { Job($0, now: now) }
    self.init(
      jobs: Kind.allCases.flatMap { kind in jobs.filter { $0.kind == kind } },
      queues: queues, backlogByteCount: context.backlog.byteCount,
      isolation: isolation?.status)
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

extension JobStanding where Payload == JobWork {
  /// The stage of a load, for the error of a deadline.
  var stage: ImageStage { payload.stage(in: station, isRunning: isRunning) }
}

extension PipelineDiagnostics.Job {
  fileprivate init?(_ job: JobRunner.Graph.Snapshot, now: JobInstant) {
    guard let (kind, name) = job.payload.title else { return nil }
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
      case .parked: job.dependency?.awaitedAs ?? .step
      case .queued(.disk), .queued(.files), .queued(.levels), .running(.disk), .running(.files),
        .running(.levels):
        .disk
      case .queued(.network): .slot
      case .running(.network): .network
      case .queued(.decode): .decoder
      case .running(.decode):
        job.payload.stage(in: .decode, isRunning: true) == .process ? .processing : .decoding
      default: .starting
      }
  }
}
