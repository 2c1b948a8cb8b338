import OzuBase

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

  /// Begins an epoch: the pictures and the original of a source are removed. So are preloaded pictures whose source is not known.
  func beginRemoval(of source: CacheKey) {
    state.withLock { state in
      state.removals[source] = state.next()
      state.removals[ImageKey.unknownSource] = state.last
    }
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
}

/// A right to store something that ends, at any moment and on any thread.
protocol StoreRight: Sendable {
  /// Whether it has not ended.
  var isValid: Bool { get }
}

extension StoreRight {
  /// Stores something, unless the right has ended. If it ends meanwhile, what was stored is taken back.
  ///
  /// A removal first ends the right and then removes what is stored. So either the right has ended after `work`, or the removal
  /// finds what `work` has stored.
  ///
  /// - Returns: whether it is stored.
  @discardableResult
  func store(_ work: () -> Void, takeBack: () -> Void) -> Bool {
    guard isValid else { return false }
    work()
    if isValid { return true }
    takeBack()
    return false
  }
}

/// The right of a job to store what it has made of a source. It ends when the source, its format or everything is removed, and when
/// the source is reloaded.
struct EpochRight: StoreRight {
  fileprivate let epochs: SourceEpochs
  fileprivate let epoch: LoadEpoch
  fileprivate let source: CacheKey
  /// The name of the format whose removal ends the right.
  fileprivate let format: String?
  /// The right to store the original of the source, which outlives removals of formats.
  fileprivate let isForOriginal: Bool

  var isValid: Bool {
    let now = epochs.epoch(of: source, format)
    return now.source == epoch.source && (isForOriginal || now.format == epoch.format)
  }
}

extension SourceEpochs {
  /// The right to store the results of a request, for a job of an epoch; by default for one that begins now.
  func right(to request: ImageRequest, in epoch: LoadEpoch? = nil) -> EpochRight {
    right(toResultsOf: request.key.source, request.format?.name, in: epoch)
  }

  func right(toResultsOf source: CacheKey, _ format: String?, in epoch: LoadEpoch? = nil) -> EpochRight {
    EpochRight(
      epochs: self, epoch: epoch ?? self.epoch(of: source, format), source: source, format: format,
      isForOriginal: false)
  }

  /// Whether a job of an epoch must remove the former result of its request, because it reloads. It may not store the new one itself:
  /// another reload of the source, in another size or format, may have begun since, and stores its own result only. After a removal
  /// there is no former result.
  func replaces(_ request: ImageRequest, in epoch: LoadEpoch) -> Bool {
    request.cachePolicy == .reload && self.epoch(of: request).removal == epoch.removal
  }

  /// The right to store the original of a source, for a job of an epoch.
  func right(toOriginalOf source: CacheKey, in epoch: LoadEpoch) -> EpochRight {
    EpochRight(epochs: self, epoch: epoch, source: source, format: nil, isForOriginal: true)
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

  /// The same for jobs that make pictures and files. The numbers of epochs are unique, so the greater one tells the two apart from every
  /// other pair of the same request.
  func resultNumber(_ policy: CachePolicy) -> Int { max(number(policy), format) }
}
