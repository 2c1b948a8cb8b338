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

/// The layers of a pipeline's caches.
public enum ImageCacheLayer: String, Hashable, Sendable, Codable, CaseIterable {
  /// Decoded pictures in memory.
  case memory
  /// Renditions: finished pictures on disk, in encoded form.
  case rendition
  /// Encoded images on disk (`ImagePipeline.encoded(for:as:)`).
  case encoded
  /// Originals: files on disk, as their sources sent them.
  case original
}

/// The two caches behind the layers. Each evicts its own entries.
public enum ObservedStore: String, Hashable, Sendable, Codable, CaseIterable {
  /// The memory cache.
  case memory
  /// The disk cache, which holds renditions and originals.
  case disk
}

/// Entries that a cache has evicted.
public struct ObservedEviction: Hashable, Sendable {
  /// The cache.
  public let store: ObservedStore
  /// The name of the cache format of the entries; `nil` for pictures without a format, and for originals.
  public let format: String?
  /// The number of entries.
  public let count: Int
}

/// An entry of a cache, as reported to observers.
public struct ObservedEntry: Sendable {
  /// The layer in which it is, or in which it was looked up.
  public let layer: ImageCacheLayer
  /// The name of its source, without credentials.
  public let source: String
  /// The request that caused the event; `nil` for originals, which belong to all requests of their source.
  public let request: ImageRequest?
  /// Its size in the layer in bytes: pixels in memory, encoded bytes on disk. 0 for a miss.
  public let byteCount: Int
}

/// A request, as reported to observers.
public struct ObservedRequest: Sendable, Identifiable {
  /// The identifier of the request, unique in the process.
  public let id: Int
  /// The request of the app, unchanged.
  public let request: ImageRequest
  /// When it began, by the clock of the pipeline.
  public let start: ContinuousClock.Instant
}

/// How a request ended.
public enum RequestOutcome: Sendable {
  /// With a picture.
  case picture(ImageResponse)
  /// With bytes, for a request for bytes.
  case data(byteCount: Int)
  /// With an error.
  case failure(ImageError)
  /// It was cancelled.
  case cancelled

  init(_ error: ImageError) { self = error.isCancellation ? .cancelled : .failure(error) }
}

/// A stage of the work behind requests, as reported to observers.
public struct ObservedStage: Sendable, Identifiable {
  /// The identifier of the stage, unique in the process.
  public let id: Int
  /// The kind of stage. Never `total`, which is the request itself.
  public let stage: ImageStage
  /// The name of the source, without credentials.
  public let source: String
  /// When it began, by the clock of the pipeline.
  public let start: ContinuousClock.Instant
}
