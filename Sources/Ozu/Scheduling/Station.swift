/// A kind of resource that does a limited number of things at once.
package struct StationID: Hashable, Sendable, CaseIterable {
  package let index: Int

  /// Reads of the disk, and of files.
  package static let disk = StationID(index: 0)
  /// Downloads, and the app's own fetchers.
  package static let network = StationID(index: 1)
  /// Decoding, resizing and processors.
  package static let decode = StationID(index: 2)
  /// Encoding for the disk.
  package static let encode = StationID(index: 3)
  /// Writes to the disk.
  package static let store = StationID(index: 4)

  /// Reads of the levels of storage below the first, which may be slow.
  package static let levels = StationID(index: 5)

  package static let allCases: [StationID] = [.disk, .network, .decode, .encode, .store, .levels]
}

/// A resource with a number of places, a queue of those who wait for one, and possibly a limiter.
package struct Station {
  /// How many places there are.
  package let width: Int
  /// Whether prefetching stands back for those who wait here.
  let isForeground: Bool
  /// Gives out no places, until it is lifted.
  package var isSuspended = false
  /// Holds starts back in a storm of cancellations.
  var limiter: StartLimiter?
  /// When the limiter lets the next one go, if it is all that holds the queue back.
  var limiterDue: JobInstant?
  /// Whether the limiter has held the queue back since it was empty.
  var isHolding = false
  package var runningCount = 0
  var queue = StationQueue()

  /// - Parameter width: at least one.
  package init(width: Int, isForeground: Bool = false, limiter: StartLimiter? = nil) {
    self.width = max(1, width)
    self.isForeground = isForeground
    self.limiter = limiter
  }

  /// How many wait here.
  package var queuedCount: Int { queue.count }

  /// Whether one who waits could begin now.
  mutating func hasPlace(_ now: JobInstant) -> Bool {
    runningCount < width && !isSuspended && limiter?.isOpen(now) ?? true
  }
}
