/// The identifier of a station: a resource that runs a limited number of jobs at once.
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

  /// Reads of the storage levels below the first one. They may be slow.
  package static let levels = StationID(index: 5)

  /// Reads of whole files: local ones, and originals of the disk cache. Separate from `disk` because the bytes wait
  /// in memory for a decoder (`Station.Backpressure`).
  package static let files = StationID(index: 6)

  package static let allCases: [StationID] = [.disk, .network, .decode, .encode, .store, .levels, .files]
}

/// A resource with a number of places, a queue of the jobs that wait for one, and possibly a limiter.
package struct Station {
  /// The number of places.
  package let width: Int
  /// Whether prefetching waits for the jobs that are queued here.
  let isForeground: Bool
  /// If set, no job starts while more than this number of bytes waits in another station. That station must not have
  /// backpressure itself.
  package let backpressure: Backpressure?
  /// While true, no job starts.
  package var isSuspended = false
  /// Delays starts in a storm of cancellations.
  var limiter: StartLimiter?
  /// When the limiter allows the next start; nil unless the limiter is the only thing that delays the queue.
  var limiterDue: JobInstant?
  /// Whether the limiter has delayed the queue since it was last empty.
  var isHolding = false
  package var runningCount = 0
  /// The station whose backpressure depends on this one.
  var dependentStation: StationID?
  var queue = StationQueue()

  /// A bound on the bytes that wait in another station. The station with this rule produces these bytes, and waits.
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

  /// The number of jobs in the queue.
  package var queuedCount: Int { queue.count }

  /// Whether a job could start now, if backpressure allows it.
  mutating func hasPlace(_ now: JobInstant) -> Bool {
    runningCount < width && !isSuspended && limiter?.isOpen(now) ?? true
  }
}
