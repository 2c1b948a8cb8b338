/// What a pipeline is busy with at one moment, and what each of its jobs is waiting for.
///
/// For people who ask why a picture does not come: `print(pipeline.diagnostics())`.
public struct PipelineDiagnostics: Sendable {
  /// The kinds of work that are shared.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// From a request to its picture.
    case load
    /// From an address to bytes.
    case download
    /// One step from bytes to pixels.
    case render
  }

  /// What a job can wait for.
  public enum Waiting: String, Hashable, Sendable {
    /// It has just begun.
    case starting
    /// A read of the disk cache or of a file.
    case disk
    /// The download, which is a job of its own.
    case download
    /// A turn among the downloads.
    case slot
    /// The server, or the app's own fetcher.
    case network
    /// A larger picture of the same source that is being made.
    case larger
    /// The step before, which is a job of its own; for a load, the last step.
    case step
    /// A decoding thread.
    case decoder
    /// A decoding thread is at work on it.
    case decoding
    /// A decoding thread is at work on a processor.
    case processing
    /// Room among what is waiting to be written to the disk cache.
    case backlog
  }

  /// A running job.
  public struct Job: Sendable {
    /// What kind of work it is.
    public let kind: Kind
    /// What it is about: the source, and for a load the recipe.
    public let name: String
    /// What it is waiting for.
    public let waitingFor: Waiting
    /// For how long it has waited for that.
    public let waitingTime: Duration
    /// For how long it has been there.
    public let age: Duration
    /// How many go before it in the line it stands in; `nil` when it stands in none.
    public let queuePosition: Int?
    /// How many wait for it.
    public let subscriberCount: Int
    /// How urgent it is: as the most urgent of those who wait for it.
    public let priority: ImagePriority
  }

  /// Something that does a limited number of things at once.
  public struct Executor: Sendable {
    /// What it does.
    public let kind: ImagePipeline.ExecutorKind
    /// How many things at once.
    public let limit: Int
    /// How many are being done.
    public let runningCount: Int
    /// How many wait.
    public let waitingCount: Int
    /// Whether it is held back by a test.
    public let isSuspended: Bool
  }

  /// The jobs: loads, then downloads, then renders, each kind from the oldest.
  public let jobs: [Job]
  /// What does the work.
  public let executors: [Executor]
  /// The bytes that wait to be written to the disk cache.
  public let backlogByteCount: Int
  /// What isolation of decoders comes to; `nil` where it is off.
  public let isolation: IsolationStatus?
}

extension PipelineDiagnostics: CustomStringConvertible {
  /// A line for each job and each executor.
  public var description: String {
    let lines = jobs.map(\.description) + executors.map(\.description)
    let others = ["backlog: \(backlogByteCount) bytes"] + (isolation.map { ["isolation: \($0)"] } ?? [])
    return (lines + others).joined(separator: "\n")
  }
}

extension PipelineDiagnostics.Job: CustomStringConvertible {
  /// One line, such as `load https://example.com/a.jpg: waiting 1.25 s for slot (3 ahead), normal, 2 subscribers`.
  public var description: String {
    let place = queuePosition.map { " (\($0) ahead)" } ?? ""
    return
      "\(kind.rawValue) \(name): waiting \(waitingTime) for \(waitingFor.rawValue)\(place), "
      + "\(priority), \(subscriberCount) subscriber\(subscriberCount == 1 ? "" : "s"), age \(age)"
  }
}

extension PipelineDiagnostics.Executor: CustomStringConvertible {
  /// One line, such as `decode: 2 of 2 running, 14 waiting`.
  public var description: String {
    "\(kind.rawValue): \(runningCount) of \(limit) running, \(waitingCount) waiting"
      + (isSuspended ? ", suspended" : "")
  }
}
