/// Is told what a pipeline does, while it does it: for metrics, traces and logs.
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
/// Every method has an empty default. They are called on the threads that do the work, under no lock of the
/// pipeline, and hold that work up until they return: an observer notes and leaves. Everything that begins ends
/// exactly once, also when it fails or is called off. A pipeline without observers pays one branch for all this.
///
/// Requests and the work behind them are told apart: a hundred equal requests begin and end each on its own, and
/// their one download and one decode are one stage each.
public protocol ImagePipelineObserving: Sendable {
  /// A picture or its bytes are asked for. What memory has is begun and ended at once; a look by
  /// `cachedImage(for:)` is no request, only a lookup.
  func requestBegan(_ request: ObservedRequest)

  /// A request has its answer. It tells also whether the work was shared (`ImageResponse.isCoalesced`) and
  /// where the picture came from.
  func requestEnded(_ request: ObservedRequest, _ outcome: RequestOutcome, after time: Duration)

  /// A stage of the work begins.
  func stageBegan(_ stage: ObservedStage)

  /// A stage is over.
  ///
  /// - Parameter byteCount: the encoded bytes that it read, received, made or wrote; 0 where there are none, as
  ///   in resampling, and where it failed.
  func stageEnded(_ stage: ObservedStage, after time: Duration, byteCount: Int)

  /// A cache had what was asked for.
  func cacheHit(_ entry: ObservedEntry)

  /// A cache did not have it.
  func cacheMissed(_ entry: ObservedEntry)

  /// A cache has taken something in.
  func cacheStored(_ entry: ObservedEntry)

  /// A cache has given up entries to make room. Told when it takes in the next.
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
