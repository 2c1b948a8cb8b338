import OzuBase
import OzuHTTP

/// A finished request: the picture and where it came from.
public struct ImageResponse: Sendable {
  /// The place that had the answer.
  public enum Source: String, Hashable, Sendable, CaseIterable {
    /// The memory cache; answered synchronously.
    case memory
    /// The finished rendition in the disk cache.
    case rendition = "disk-rendition"
    /// The original without the network: from the disk cache, from a local file, or from the request.
    case original = "disk-original"
    /// The disk or memory cache, after the origin has confirmed that the entry is still valid.
    case revalidated
    /// A cache, with a stale entry: the origin allows it, or cannot be reached.
    case stale
    /// Another picture of the same source, from a cache or from a running load: a larger one, or the same before its
    /// last processors.
    case derived = "derived-from-larger"
    /// The network, or a fetcher of the app.
    case network
  }

  /// Why the finished picture was in no cache, as far as the pipeline knows. Entries that left the caches before the
  /// process began, or that were made too long ago, count as never made.
  public enum RenditionMiss: String, Hashable, Sendable, CaseIterable {
    /// No picture of the source has been made.
    case neverMade = "never-made"
    /// Only pictures with another size or with other processors have been made.
    case otherSize = "other-size"
    /// It was evicted, or was not stored because it would have saved too little.
    case evicted
    /// It was removed by the app.
    case removed
    /// It was cached, and is out of date.
    case outdated
    /// It was cached, and did not decode.
    case damaged
  }

  /// The picture.
  public let picture: Picture
  /// The request that is answered.
  public let request: ImageRequest
  /// The place that had the answer.
  public let source: Source
  /// Why the finished picture had to be made; `nil` if a cache had it, or if no cache was asked.
  public let renditionMiss: RenditionMiss?
  /// Whether the work was shared with an earlier equal request.
  public let isCoalesced: Bool
  /// Whether an isolated worker process has decoded the file of the picture (`Configuration.Decoding.isolation`).
  public var isIsolated: Bool { picture.isIsolated }
  /// The size in bytes of the file from which the picture was decoded: the original or the rendition. 0 for a picture
  /// from memory.
  public let encodedByteCount: Int
  /// The durations of the stages; shared work counts once, as measured by the job.
  public var timings: StageTimings {
    var timings = stages
    if let total { timings.add(.total, total) }
    return timings
  }

  // Stored separately from `total`, because all requests that share the work share this list.
  private let stages: StageTimings
  private let total: Duration?
  let verdict: Verdict

  init(
    picture: Picture, request: ImageRequest, source: Source, isCoalesced: Bool, encodedByteCount: Int,
    timings: StageTimings, total: Duration? = nil, verdict: Verdict, renditionMiss: RenditionMiss? = nil
  ) {
    self.renditionMiss = renditionMiss
    self.picture = picture
    self.request = request
    self.source = source
    self.isCoalesced = isCoalesced
    self.encodedByteCount = encodedByteCount
    stages = timings
    self.total = total
    self.verdict = verdict
  }

  /// The reason for `source`, for a picture from the web, such as `stale for 2m, revalidated by ETag`; `nil` for
  /// other sources.
  public var httpDecision: HTTPDecision? { verdict.decision }

  /// The data of `httpDecision`. Its text is built only when it is read, so that a memory hit does not pay for it.
  enum Verdict: Sendable {
    case none
    case made(HTTPDecision, SourceLifetime?)
    /// Fresh for this number of seconds; and whether it may be served after them while the origin cannot be reached.
    case fresh(Double, mayUseOffline: Bool)

    /// How long a result that is made of the picture may be kept; `nil` if no origin says anything about it.
    var lifetime: SourceLifetime? {
      switch self {
      case .none: nil
      case .made(_, let lifetime): lifetime
      case .fresh(let seconds, let mayUseOffline):
        SourceLifetime(freshSeconds: seconds, mayUseOffline: mayUseOffline, allowsStoring: true)
      }
    }

    var decision: HTTPDecision? {
      switch self {
      case .none: nil
      case .made(let decision, _): decision
      case .fresh(let seconds, _): .fresh(forSeconds: seconds)
      }
    }

    /// The verdict for a stale entry that is served because the origin cannot be reached.
    static func servedStale(_ validity: OriginalValidity, now: Date) -> Verdict {
      let seconds = validity.freshUntil.timeIntervalSince(now)
      return .made(
        HTTPDecision(
          .stale, reason: "\(HTTPDecision.fresh(forSeconds: seconds).reason), the origin cannot be reached"),
        SourceLifetime(
          freshSeconds: seconds, mayUseOffline: validity.mayUseOffline, allowsStoring: true))
    }

    init(_ validity: OriginalValidity, now: Date) {
      self = .fresh(
        validity.freshUntil.timeIntervalSince(now), mayUseOffline: validity.mayUseOffline)
    }

    init(_ validity: OriginalValidity?, now: Date) {
      self = validity.map { Verdict($0, now: now) } ?? .none
    }

    /// The verdict for an answer that has just come.
    init(_ answer: HTTPCachedResponse?, now: Date) {
      self =
        answer.map { answer in
          let seconds = answer.freshUntil.timeIntervalSince(now)
          return .made(
            answer.decision,
            SourceLifetime(
              freshSeconds: seconds, mayUseOffline: answer.mayUseOffline,
              allowsStoring: answer.reasonNotStored == nil))
        } ?? .none
    }
  }
}

extension ImageResponse.Source {
  init(_ place: HTTPDecision.Place) {
    self =
      switch place {
      case .network: .network
      case .cache: .original
      case .revalidated: .revalidated
      case .stale: .stale
      }
  }
}
