import OzuSynchronization

/// The epochs of sources and formats, by which a removal reaches the jobs in flight.
///
/// A removal begins an epoch of a source, of a format or of everything; a load that reloads begins one of its source. A job carries
/// the epochs that it began in (`LoadEpoch`). After a new one has begun, the job still answers those who wait for it, but it stores
/// nothing, and no later request joins it.
///
/// The table is bounded. When it is full, a new epoch of everything begins: it costs the running loads their place in the caches.
/// One lock guards it.
///
/// - Complexity: O(1).
final class SourceEpochs: Sendable {
  private struct State {
    var last = 0
    /// The epoch of everything.
    var all = 0
    var removals: [CacheKey: Int] = [:]
    var reloads: [CacheKey: Int] = [:]
    var formats: [String: Int] = [:]

    mutating func next() -> Int {
      if removals.count + reloads.count + formats.count >= SourceEpochs.countLimit { beginAll() }
      last += 1
      return last
    }

    mutating func beginAll() {
      last += 1
      all = last
      (removals, reloads, formats) = ([:], [:], [:])
    }

    func epoch(of source: CacheKey, _ format: String?) -> LoadEpoch {
      let removal = removals[source] ?? all
      return LoadEpoch(
        removal: removal, source: max(removal, reloads[source] ?? all),
        format: format.flatMap { formats[$0] } ?? all)
    }
  }

  static let countLimit = 4096
  private let state = Mutex(State())

  /// The epochs in which a request asks now.
  func epoch(of request: ImageRequest) -> LoadEpoch {
    epoch(of: request.key.source, request.format?.name)
  }

  func epoch(of source: CacheKey, _ format: String?) -> LoadEpoch {
    state.withLock { $0.epoch(of: source, format) }
  }

  /// Begins an epoch: the pictures and the original of a source are removed.
  func beginRemoval(of source: CacheKey) {
    state.withLock { $0.removals[source] = $0.next() }
  }

  /// Begins an epoch: the pictures of a format are removed.
  func beginRemoval(ofFormat name: String) {
    state.withLock { $0.formats[name] = $0.next() }
  }

  /// Begins an epoch of everything.
  func beginRemovalOfAll() {
    state.withLock { $0.beginAll() }
  }

  /// The epochs of a job that begins for a request. A reload begins one, so that no load from before it stores its older answer.
  func beginJob(for request: ImageRequest, askedIn epoch: LoadEpoch) -> LoadEpoch {
    guard request.cachePolicy == .reload else { return epoch }
    return state.withLock { state in
      state.reloads[request.key.source] = state.next()
      var own = epoch
      own.source = state.epoch(of: request.key.source, nil).source
      return own
    }
  }

  /// Whether the original of a source may be stored by a job of an epoch.
  func isCurrent(_ epoch: LoadEpoch, original source: CacheKey) -> Bool {
    self.epoch(of: source, nil).source == epoch.source
  }

  /// Whether the results of a request may be stored by a job of an epoch.
  func isCurrent(_ epoch: LoadEpoch, _ request: ImageRequest) -> Bool {
    let now = self.epoch(of: request)
    return now.source == epoch.source && now.format == epoch.format
  }
}

/// The epochs that a job began in.
struct LoadEpoch: Hashable, Sendable {
  /// The last removal of the source.
  var removal = 0
  /// The last removal or reload of the source.
  var source = 0
  /// The last removal of the format.
  var format = 0

  /// A part of the keys of jobs for the bytes of a source. Reloads at the same time share their job, although each begins an epoch.
  func number(_ policy: CachePolicy) -> Int { policy == .reload ? removal : source }
}
