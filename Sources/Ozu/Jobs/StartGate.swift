/// Keeps jobs from beginning that could do no more than stand in another line.
///
/// A load that needs the network and finds many before it would take two Swift tasks and a place among the downloads,
/// and wait. So it waits where it is, which costs nothing, and is cheaply called off. What may be answered otherwise
/// passes; so does what is more urgent than those who wait. The gate only says how things stand, and the jobs ask again
/// when that may have changed (`SharedJobs.reconsider`).
struct StartGate: Sendable {
  /// The lowest urgency that would not find many before it; `nil` when every one would.
  let lowestOpenLevel: @Sendable () -> ImagePriority?

  /// How many wait for a download before more are held back: enough that no place is ever empty.
  static let crowd = 32

  /// The gate before a line of downloads.
  static func before(_ slots: Slots) -> StartGate {
    StartGate { [weak slots] in
      guard let slots else { return .veryLow }
      return slots.lowestLevel(behindFewerThan: crowd)
    }
  }
}

extension PipelineParts {
  /// Whether a load that began now could do no more than wait for its download: it comes from the web, and nothing
  /// here has anything of it. A guess that costs little: one that is wrong begins for nothing, or a little later.
  func wouldOnlyWait(_ request: ImageRequest) -> Bool {
    guard request.source.isOnWeb, request.cachePolicy != .cacheOnly,
      !configuration.sources.usesFetcher(request.source)
    else { return false }
    if request.cachePolicy.readsCaches {
      if caches.mayHaveOnDisk(request) || relatives.hasAny(of: request.key.source) { return false }
      if liveFetches.data(for: .fetch(request, number: 0)) != nil { return false }
    }
    return !fetches.contains(.fetch(request, number: 0))
  }
}

extension ImageSource {
  /// Whether it is a web address.
  fileprivate var isOnWeb: Bool {
    switch self {
    case .url(let url): url.absoluteString.hasPrefix("http")
    case .request: true
    default: false
    }
  }
}

extension ImageCaches {
  /// Whether the disk may have something of a source, as far as that is known without waiting.
  fileprivate func mayHaveOnDisk(_ request: ImageRequest) -> Bool {
    switch diskAtHand {
    case .unknown: true
    case .none: false
    case .open(let disk):
      disk.contains(request.key.rendition, in: request.partition)
        || disk.contains(request.key.source, in: Self.originals)
        || disk.contains(request.key.source, in: Self.relatives)
    }
  }
}
