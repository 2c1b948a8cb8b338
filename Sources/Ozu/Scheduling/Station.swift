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

  /// Reads of whole files: local ones, and originals of the disk cache. Apart from `disk`, because what they bring waits
  /// in memory for a decoder (`Station.Backpressure`).
  package static let files = StationID(index: 6)

  package static let allCases: [StationID] = [.disk, .network, .decode, .encode, .store, .levels, .files]
}

/// A resource with a number of places, a queue of those who wait for one, and possibly a limiter.
package struct Station {
  /// How many places there are.
  package let width: Int
  /// Whether prefetching stands back for those who wait here.
  let isForeground: Bool
  /// Gives out no places while more than a number of bytes waits in another station, which has no such rule itself.
  package let backpressure: Backpressure?
  /// Gives out no places, until it is lifted.
  package var isSuspended = false
  /// Holds starts back in a storm of cancellations.
  var limiter: StartLimiter?
  /// When the limiter lets the next one go, if it is all that holds the queue back.
  var limiterDue: JobInstant?
  /// Whether the limiter has held the queue back since it was empty.
  var isHolding = false
  package var runningCount = 0
  /// The station that stands back behind this one.
  var follower: StationID?
  var queue = StationQueue()

  /// A bound on the bytes that wait in another station: those who bring them stand back.
  package struct Backpressure: Sendable {
    let station: StationID
    let byteCount: Int

    package init(of station: StationID, above byteCount: Int) {
      self.station = station
      self.byteCount = byteCount
    }
  }

  /// - Parameter width: at least one.
  package init(
    width: Int, isForeground: Bool = false, limiter: StartLimiter? = nil, backpressure: Backpressure? = nil
  ) {
    self.width = max(1, width)
    self.isForeground = isForeground
    self.limiter = limiter
    self.backpressure = backpressure
  }

  /// How many wait here.
  package var queuedCount: Int { queue.count }

  /// Whether one who waits could begin now, but for backpressure.
  mutating func hasPlace(_ now: JobInstant) -> Bool {
    runningCount < width && !isSuspended && limiter?.isOpen(now) ?? true
  }
}
