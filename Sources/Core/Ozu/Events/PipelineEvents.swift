import OzuBase
import OzuHTTP

/// Receives the events of the jobs, counts them, and notifies the observers.
///
/// Counting is a relaxed addition. Everything that only observers need depends on `isObserved`, a constant, so that a
/// pipeline without observers reads no clock and builds no text for it. Hits in memory are not counted here but by
/// the memory cache: such a hit costs a hundredth of a contended addition.
final class PipelineEvents: Sendable {
  let isObserved: Bool
  let counters = PipelineCounters()
  let evictions = EvictionLedger()
  private let observers: [any ImagePipelineObserving]
  private let now: @Sendable () -> ContinuousClock.Instant

  /// Shared by the process, so that one observer can observe two pipelines.
  private static let lastID = Atomic(0)

  init(_ configuration: ImagePipeline.Configuration) {
    var observers = configuration.observers
    if let log = configuration.log { observers.append(LoggingObserver(log)) }
    self.observers = observers
    isObserved = !observers.isEmpty
    now = configuration.testing.now
  }

  private static func makeID() -> Int { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

  // MARK: Requests

  /// A request begins. Returns `nil` without observers.
  func requestBegan(_ request: ImageRequest) -> ObservedRequest? {
    guard isObserved else { return nil }
    let observed = ObservedRequest(id: Self.makeID(), request: request, start: now())
    for observer in observers { observer.requestBegan(observed) }
    return observed
  }

  /// A request that was reported to observers has ended. The counters are updated elsewhere, with or without
  /// observers.
  func requestEnded(_ observed: ObservedRequest, _ outcome: RequestOutcome) {
    let time = observed.start.duration(to: now())
    for observer in observers { observer.requestEnded(observed, outcome, after: time) }
  }

  // MARK: Stages

  /// A stage begins. Returns `nil` without observers.
  func stageBegan(_ stage: ImageStage, of source: @autoclosure () -> String) -> ObservedStage? {
    guard isObserved else { return nil }
    let observed = ObservedStage(id: Self.makeID(), stage: stage, source: source(), start: now())
    for observer in observers { observer.stageBegan(observed) }
    return observed
  }

  func stageEnded(_ observed: ObservedStage?, byteCount: Int = 0) {
    guard let observed else { return }
    let time = observed.start.duration(to: now())
    for observer in observers { observer.stageEnded(observed, after: time, byteCount: byteCount) }
  }

  // MARK: Caches

  /// A layer was asked for an entry. `byteCount` is its size, or `nil` for a miss.
  func lookedUp(
    _ layer: ImageCacheLayer, found byteCount: Int?, of source: @autoclosure () -> String,
    for request: ImageRequest? = nil
  ) {
    counters.lookedUp(layer, found: byteCount)
    guard isObserved else { return }
    let entry = ObservedEntry(layer: layer, source: source(), request: request, byteCount: byteCount ?? 0)
    for observer in observers {
      if byteCount == nil { observer.cacheMissed(entry) } else { observer.cacheHit(entry) }
    }
  }

  func stored(
    _ layer: ImageCacheLayer, byteCount: Int, of source: @autoclosure () -> String,
    for request: ImageRequest? = nil
  ) {
    counters.stored(layer, byteCount: byteCount)
    guard isObserved else { return }
    let entry = ObservedEntry(layer: layer, source: source(), request: request, byteCount: byteCount)
    for observer in observers { observer.cacheStored(entry) }
  }

  func evicted(_ evictions: @autoclosure () -> [ObservedEviction]) {
    guard isObserved else { return }
    for eviction in evictions() {
      for observer in observers { observer.cacheEvicted(eviction) }
    }
  }
}

extension PipelineEvents {
  /// Reports a lookup in memory to observers only, because the memory cache has counted it.
  func lookedIntoMemory(_ cached: CachedPicture?, for request: ImageRequest) {
    lookedUp(.memory, found: cached?.picture.byteCount, of: request.source.name, for: request)
  }

  func observeFile(
    _ name: String, _ read: () throws(ImageError) -> (data: Data, stamp: FileStamp)
  ) throws(ImageError) -> (data: Data, stamp: FileStamp) {
    let stage = stageBegan(.read, of: name)
    var byteCount = 0
    defer { stageEnded(stage, byteCount: byteCount) }
    let file = try read()
    counters.fileLoads.increment()
    byteCount = file.data.count
    counters.fileByteCount.wrappingAdd(byteCount, ordering: .relaxed)
    return file
  }

  func observeFetcher(_ name: String, _ fetch: () async throws -> FetchedImage) async throws -> FetchedImage {
    let stage = stageBegan(.network, of: name)
    var byteCount = 0
    defer { stageEnded(stage, byteCount: byteCount) }
    counters.fetcherLoads.increment()
    let content = try await fetch()
    if case .data(let data) = content { byteCount = data.count }
    return content
  }
}

/// The evictions that have not been reported to observers yet, by format.
///
/// The memory cache reports each evicted entry, and there are many under memory pressure: they are collected here
/// until the next store. The disk cache counts its evictions by itself; this object remembers which counts were
/// reported.
final class EvictionLedger: Sendable {
  private typealias Counts = [String?: Int]

  private let leftMemory = Mutex<Counts>([:])
  private let toldOfDisk = Mutex<Counts>([:])

  func noteLeftMemory(_ picture: CachedPicture) {
    leftMemory.withLock { $0[picture.formatName, default: 0] += 1 }
  }

  func takeFromMemory() -> [ObservedEviction] {
    let counts = leftMemory.withLock { counts in
      defer { counts = [:] }
      return counts
    }
    return Self.evictions(counts, from: .memory)
  }

  /// The evictions from the disk cache since the last call.
  ///
  /// - Parameter totals: the number of evicted entries of each kind so far.
  func takeFromDisk(_ totals: [ImageStoreKind: Int]) -> [ObservedEviction] {
    guard !totals.isEmpty else { return [] }
    var counts: Counts = [:]
    for (kind, total) in totals { counts[kind.formatName, default: 0] += total }
    let new = toldOfDisk.withLock { told in
      let new = counts.filter { $0.value > told[$0.key] ?? 0 }
        .map { ($0.key, $0.value - (told[$0.key] ?? 0)) }
      told.merge(counts) { max($0, $1) }
      return new
    }
    return Self.evictions(Dictionary(uniqueKeysWithValues: new), from: .disk)
  }

  private static func evictions(_ counts: Counts, from store: ObservedStore) -> [ObservedEviction] {
    counts.sorted { ($0.key ?? "") < ($1.key ?? "") }
      .map { ObservedEviction(store: store, format: $0.key, count: $0.value) }
  }
}

/// Counts and reports the actual HTTP exchanges. Answers of the HTTP cache do not come here; its revalidations and
/// retries do.
struct ObservedHTTPClient: HTTPClient {
  let client: any HTTPClient
  let events: PipelineEvents

  func send(
    _ request: HTTPRequest, into sink: any HTTPBodySink
  ) async throws(HTTPError) -> HTTPResponse {
    let stage = events.stageBegan(.network, of: ImageSource.url(request.url).name)
    events.counters.networkLoads.increment()
    do throws(HTTPError) {
      let response = try await client.send(request, into: sink)
      events.counters.downloadedByteCount.wrappingAdd(response.bodyByteCount, ordering: .relaxed)
      events.stageEnded(stage, byteCount: response.bodyByteCount)
      return response
    } catch {
      if error.reason != .cancelled { events.counters.networkFailures.increment() }
      events.stageEnded(stage)
      throw error
    }
  }
}

/// The counters of a pipeline. Each is independent and relaxed, so that counting never waits.
final class PipelineCounters: Sendable {
  final class Layer: Sendable {
    let hits = Atomic(0)
    let misses = Atomic(0)
    let stores = Atomic(0)
    let readByteCount = Atomic(0)
    let writtenByteCount = Atomic(0)
  }

  let renditions = Layer()
  let originals = Layer()
  let encoded = Layer()
  /// Lookups in memory that repeat an earlier lookup of the same request.
  let repeatedHits = Atomic(0)
  let repeatedMisses = Atomic(0)
  let memoryStores = Atomic(0)

  let dataAnswers = Atomic(0)
  let encodedAnswers = Atomic(0)
  let decodes = Atomic(0)
  let encodes = Atomic(0)
  let coalesced = Atomic(0)
  let cancelled = Atomic(0)
  let networkLoads = Atomic(0)
  let networkFailures = Atomic(0)
  let downloadedByteCount = Atomic(0)
  let fetcherLoads = Atomic(0)
  let fileLoads = Atomic(0)
  let fileByteCount = Atomic(0)

  private let revalidated = Atomic(0)
  private let stale = Atomic(0)
  private let derived = Atomic(0)
  private let fromNetwork = Atomic(0)
  private let fromRenditions = Atomic(0)
  private let fromOriginals = Atomic(0)
  /// Guarded by a lock, because failures are rare.
  private let failures = Mutex<[String: Int]>([:])

  func addAnswer(_ source: ImageResponse.Source, isCoalesced: Bool) {
    switch source {
    // The memory cache counts its own answers.
    case .memory: return
    case .rendition: fromRenditions.increment()
    case .original: fromOriginals.increment()
    case .revalidated: revalidated.increment()
    case .stale: stale.increment()
    case .derived: derived.increment()
    case .network: fromNetwork.increment()
    }
    if isCoalesced { coalesced.increment() }
  }

  func add(_ error: ImageError) {
    if error.isCancellation { return cancelled.increment() }
    failures.withLock { $0[error.kind.name, default: 0] += 1 }
  }

  func lookedUp(_ layer: ImageCacheLayer, found byteCount: Int?) {
    guard let counts = self.layer(layer) else { return }
    if let byteCount {
      counts.hits.increment()
      counts.readByteCount.wrappingAdd(byteCount, ordering: .relaxed)
    } else {
      counts.misses.increment()
    }
  }

  func stored(_ layer: ImageCacheLayer, byteCount: Int) {
    guard let counts = self.layer(layer) else {
      memoryStores.increment()
      return
    }
    counts.stores.increment()
    counts.writtenByteCount.wrappingAdd(byteCount, ordering: .relaxed)
  }

  /// `nil` for memory, whose cache counts its own lookups.
  private func layer(_ layer: ImageCacheLayer) -> Layer? {
    switch layer {
    case .memory: nil
    case .rendition: renditions
    case .original: originals
    case .encoded: encoded
    }
  }

  var answersBySource: [ImageResponse.Source: Int] {
    [
      .rendition: fromRenditions.value, .original: fromOriginals.value, .revalidated: revalidated.value,
      .stale: stale.value, .derived: derived.value, .network: fromNetwork.value,
    ]
  }
  var failuresByKind: [String: Int] { failures.withLock { $0 } }
}

extension Atomic where Value == Int {
  borrowing func increment() { wrappingAdd(1, ordering: .relaxed) }

  var value: Int { borrowing get { load(ordering: .relaxed) } }
}
