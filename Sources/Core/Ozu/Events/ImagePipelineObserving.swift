/// Observes the work of a pipeline while it happens: for metrics, traces and logs.
///
/// ```swift
/// struct SlowLoads: ImagePipelineObserving {
///   let report: @Sendable (String) -> Void
///
///   func requestEnded(_ request: ObservedRequest, _ outcome: RequestOutcome, after time: Duration) {
///     if time > .seconds(1) { report(request.request.source.name) }
///   }
/// }
/// let pipeline = ImagePipeline { $0.observers = [SlowLoads { metrics.count(slow: $0) }] }
/// ```
///
/// Every method has an empty default. The pipeline calls them on the threads that do the work, outside its locks, and
/// the work waits until they return: an observer must be quick. Everything that begins ends exactly once, also if it
/// fails or is cancelled. A pipeline without observers pays one branch for all this.
///
/// Requests and the work behind them are reported separately: a hundred equal requests begin and end one by one,
/// while their one download and one decode are one stage each.
public protocol ImagePipelineObserving: Sendable {
  /// A request for a picture or its bytes begins. A request that memory can answer begins and ends at once. A call of
  /// `cachedImage(for:)` is only a lookup, not a request.
  func requestBegan(_ request: ObservedRequest)

  /// A request has ended. The outcome states also whether the work was shared (`ImageResponse.isCoalesced`) and where
  /// the picture came from.
  func requestEnded(_ request: ObservedRequest, _ outcome: RequestOutcome, after time: Duration)

  /// A stage of the work begins.
  func stageBegan(_ stage: ObservedStage)

  /// A stage has ended.
  ///
  /// - Parameter byteCount: the encoded bytes that the stage read, received, made or wrote; 0 if there are none, as
  ///   in resampling, and if it failed.
  func stageEnded(_ stage: ObservedStage, after time: Duration, byteCount: Int)

  /// A lookup in a cache has found an entry.
  func cacheHit(_ entry: ObservedEntry)

  /// A lookup in a cache has found nothing.
  func cacheMissed(_ entry: ObservedEntry)

  /// A cache has stored an entry.
  func cacheStored(_ entry: ObservedEntry)

  /// A cache has evicted entries. Reported when the cache stores its next entry.
  func cacheEvicted(_ eviction: ObservedEviction)
}

extension ImagePipelineObserving {
  /// Does nothing.
  public func requestBegan(_ request: ObservedRequest) {}
  /// Does nothing.
  public func requestEnded(_ request: ObservedRequest, _ outcome: RequestOutcome, after time: Duration) {}
  /// Does nothing.
  public func stageBegan(_ stage: ObservedStage) {}
  /// Does nothing.
  public func stageEnded(_ stage: ObservedStage, after time: Duration, byteCount: Int) {}
  /// Does nothing.
  public func cacheHit(_ entry: ObservedEntry) {}
  /// Does nothing.
  public func cacheMissed(_ entry: ObservedEntry) {}
  /// Does nothing.
  public func cacheStored(_ entry: ObservedEntry) {}
  /// Does nothing.
  public func cacheEvicted(_ eviction: ObservedEviction) {}
}
