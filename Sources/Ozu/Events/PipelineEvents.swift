import Foundation
import OzuHTTP
import OzuSynchronization

/// Where the jobs say what they do: it counts, and tells the observers.
///
/// Counting is a relaxed addition. Everything that only observers want hangs on `isObserved`, a constant, so that a
/// pipeline that nobody observes reads no clock and makes no text for it. What the memory cache counts by itself
/// is not counted here: a hit there costs a hundredth of what a contended addition would.
final class PipelineEvents: Sendable {
  /// Whether anybody is told.
  let isObserved: Bool
  let counters = PipelineCounters()
  let evictions = EvictionLedger()
  private let observers: [any ImagePipelineObserving]
  private let now: @Sendable () -> ContinuousClock.Instant

  /// Of the process, so that the events of two pipelines can go to one observer.
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

  /// A request begins. `nil` when nobody is told.
  func requestBegan(_ request: ImageRequest) -> ObservedRequest? {
    guard isObserved else { return nil }
    let observed = ObservedRequest(id: Self.makeID(), request: request, start: now())
    for observer in observers { observer.requestBegan(observed) }
    return observed
  }

  /// A request that observers know has ended. Its end is counted apart, whether they do or not.
  func requestEnded(_ observed: ObservedRequest, _ outcome: RequestOutcome) {
    let time = observed.start.duration(to: now())
    for observer in observers { observer.requestEnded(observed, outcome, after: time) }
  }

  // MARK: Stages

  /// A stage begins. `nil` when nobody is told.
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

  /// A layer was asked for a picture or an original and had so many bytes of it, or nothing.
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

  /// Tells observers of the evictions that they have not heard of yet.
  func evicted(_ news: @autoclosure () -> [ObservedEviction]) {
    guard isObserved else { return }
    for eviction in news() {
      for observer in observers { observer.cacheEvicted(eviction) }
    }
  }
}
