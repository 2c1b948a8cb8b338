/// The stages that a load can pass through.
public enum ImageStage: String, Hashable, Sendable, CaseIterable {
  /// Reading a file or a cache entry.
  case read
  /// The exchange with the server, or the fetcher's work.
  case network
  /// Waiting for a free decoder.
  case wait
  /// From encoded bytes to pixels, at the reduced scale.
  case decode
  /// Resampling to the target and turning upright.
  case resize
  /// The processors of the request.
  case process
  /// From pixels to an encoded rendition, in the background.
  case encode
  /// Writing to the disk cache, in the background.
  case store
  /// From the request to the answer: the caller's waiting time, including the time between stages.
  case total
}

/// The durations of the stages of one load, in the order in which they began. A stage that ran twice (for example
/// because a damaged rendition was decoded first) counts with its total time.
///
/// They state what the request waited for: a stage that other work delays counts from when the load turned to it, places in queues
/// included. Observers (`ImagePipelineObserving`) receive the work alone.
public struct StageTimings: Hashable, Sendable {
  /// A stage and its duration.
  public struct Entry: Hashable, Sendable {
    /// The stage.
    public let stage: ImageStage
    /// Its duration by the wall clock.
    public fileprivate(set) var duration: Duration
  }

  /// The stages that ran.
  public private(set) var entries: [Entry] = []

  /// The duration of a stage; `nil` if it did not run.
  public subscript(stage: ImageStage) -> Duration? {
    entries.first { $0.stage == stage }?.duration
  }

  mutating func add(_ stage: ImageStage, _ duration: Duration) {
    if let index = entries.firstIndex(where: { $0.stage == stage }) {
      entries[index].duration += duration
    } else {
      // Enough for most loads, in one allocation.
      if entries.isEmpty { entries.reserveCapacity(4) }
      entries.append(Entry(stage: stage, duration: duration))
    }
  }

  mutating func add(_ other: StageTimings) {
    guard !entries.isEmpty else { return entries = other.entries }
    entries.reserveCapacity(entries.count + other.entries.count)
    for entry in other.entries { add(entry.stage, entry.duration) }
  }
}
