import OzuSynchronization

/// Keeps jobs from beginning that could do no more than stand in another line.
///
/// A load that needs the network and finds many before it would take two Swift tasks and a place among the downloads,
/// and wait. So it waits where it is, which costs nothing, and is cheaply called off. What may be answered otherwise
/// passes; so does what is more urgent than those who wait. The gate only says how things stand, and the jobs ask again
/// when that may have changed (`SharedJobs.reconsider`).
struct StartGate: Sendable {
  /// How many wait, all together; `nil` where that is not counted.
  private let line: LineLength?
  private let lowestLevel: @Sendable () -> ImagePriority?

  /// Makes a gate.
  ///
  /// - Parameter lowestLevel: tells the lowest urgency that would not find many before it; `nil` when every one would.
  init(line: LineLength? = nil, _ lowestLevel: @escaping @Sendable () -> ImagePriority?) {
    self.line = line
    self.lowestLevel = lowestLevel
  }

  /// The lowest urgency that would not find many before it; `nil` when every one would.
  func lowestOpenLevel() -> ImagePriority? {
    if let line, line.count < Self.crowd { return .veryLow }
    return lowestLevel()
  }

  /// How many wait for a download before more are held back: enough that no place is ever empty.
  static let crowd = 32

  /// The gate before a line of downloads.
  static func before(_ slots: Slots) -> StartGate {
    StartGate(line: slots.lineLength) { [weak slots] in
      guard let slots else { return .veryLow }
      return slots.lowestLevel(behindFewerThan: crowd)
    }
  }
}

/// How many wait in a line, for a look without its lock.
final class LineLength: Sendable {
  private let value = Atomic(0)

  var count: Int {
    get { value.load(ordering: .relaxed) }
    set { value.store(newValue, ordering: .relaxed) }
  }
}

extension PipelineParts {
  /// Whether a load that began now could do no more than wait for its download: it comes from the web, and nothing
  /// here has anything of it. A guess that costs little: one that is wrong begins for nothing, or a little later.
  func wouldOnlyWait(_ request: ImageRequest) -> Bool {
    // The time limit of a download counts from the start of its load.
    guard request.isOnWeb, request.cachePolicy != .cacheOnly, configuration.stageTimeouts[.network] == nil,
      configuration.sources.isEmpty || !configuration.sources.usesFetcher(request.source)
    else { return false }
    if request.cachePolicy.readsCaches {
      if caches.mayHaveOnDisk(request) || relatives.hasAny(of: request.key.source) { return false }
      if liveFetches.data(for: .fetch(request, number: 0)) != nil { return false }
    }
    return !fetches.contains(.fetch(request, number: 0))
  }
}

extension ImageCaches {
  /// Whether the disk may have something of a source, as far as that is known without waiting: this is asked on the
  /// thread of the caller, and on threads of Swift's cooperative pool.
  fileprivate func mayHaveOnDisk(_ request: ImageRequest) -> Bool {
    switch diskAtHand {
    case .unknown: true
    case .none: false
    case .open(let disk):
      disk.mayContain(request.key.rendition, in: request.partition)
        || disk.mayContain(request.key.source, in: Self.originals)
        || disk.mayContain(request.key.source, in: Self.relatives)
    }
  }
}
