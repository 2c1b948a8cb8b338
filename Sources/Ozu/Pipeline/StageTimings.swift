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
  /// From pixels to an encoded rendition, behind the caller's back.
  case encode
  /// Writing to the disk cache, behind the caller's back.
  case store
  /// From the request to the answer: what the caller waited for, and what is between.
  case total
}

/// How long the stages of one load took, in the order in which they began. A stage that ran twice (a damaged
/// rendition is decoded in vain) counts with its whole time.
public struct StageTimings: Hashable, Sendable {
  /// A stage and its time.
  public struct Entry: Hashable, Sendable {
    /// The stage.
    public let stage: ImageStage
    /// How long it took, by the wall clock.
    public fileprivate(set) var duration: Duration
  }

  /// The stages that ran.
  public private(set) var entries: [Entry] = []

  /// The time of a stage; `nil` when it did not run.
  public subscript(stage: ImageStage) -> Duration? {
    entries.first { $0.stage == stage }?.duration
  }

  mutating func add(_ stage: ImageStage, _ duration: Duration) {
    if let index = entries.firstIndex(where: { $0.stage == stage }) {
      entries[index].duration += duration
    } else {
      // Most loads have so many: one allocation.
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
