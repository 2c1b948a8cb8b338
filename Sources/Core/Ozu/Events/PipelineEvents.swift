import Foundation
import OzuBase
import OzuHTTP

/// Receives the events of the jobs, counts them, and notifies the observers.
///
/// Counting is a relaxed addition. Everything that only observers need depends on `isObserved`, a constant, so that a
/// pipeline without observers reads no clock and builds no text for it. Hits in memory are not counted here but by
/// the memory cache: such a hit costs a hundredth of a contended addition.
final class PipelineEvents: Sendable {
  /// Whether there are observers.
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

  /// Reports evictions to observers.
  func evicted(_ evictions: @autoclosure () -> [ObservedEviction]) {
    guard isObserved else { return }
    for eviction in evictions() {
      for observer in observers { observer.cacheEvicted(eviction) }
    }
  }
}
