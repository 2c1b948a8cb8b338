import Foundation
import OzuHTTP

/// A finished request: the picture and where it came from.
public struct ImageResponse: Sendable {
  /// The cheapest place that had the answer.
  public enum Source: String, Hashable, Sendable, CaseIterable {
    /// The memory cache; answered synchronously.
    case memory
    /// The finished rendition in the disk cache.
    case rendition = "disk-rendition"
    /// The original's bytes without the network: from the disk cache, a local file, or given with the request.
    case original = "disk-original"
    /// The disk or memory cache, after the origin has confirmed that it still holds.
    case revalidated
    /// A cache, past its lifetime: the origin allows it, or cannot be reached.
    case stale
    /// Another picture of the same source that a cache had or that was being made: a larger one, or the same before
    /// its last processors.
    case derived = "derived-from-larger"
    /// The network, or a fetcher of the app.
    case network
  }

  /// Why the finished picture was in no cache, as far as the pipeline knows: what has left the caches before the process
  /// began, and what was made too long ago, counts as never made.
  public enum RenditionMiss: String, Hashable, Sendable, CaseIterable {
    /// Nothing has been made of the source.
    case neverMade = "never-made"
    /// Others have been made of the source, of another size or with other processors.
    case otherSize = "other-size"
    /// It had to make room, or was too small a saving to be kept.
    case evicted
    /// It was removed by the app.
    case removed
    /// It was there, and is out of date.
    case outdated
    /// It was there, and did not decode.
    case damaged
  }

  /// The picture.
  public let picture: Picture
  /// The request that is answered.
  public let request: ImageRequest
  /// Where the answer came from.
  public let source: Source
  /// Why the finished picture had to be made; `nil` when a cache had it, or when none was asked for it.
  public let renditionMiss: RenditionMiss?
  /// Whether the work was shared with an equal request that was there before.
  public let isCoalesced: Bool
  /// Whether a process of its own has decoded the file that the picture was made of (`Configuration.isolation`).
  public var isIsolated: Bool { picture.isIsolated }
  /// The bytes of the encoded file the picture was decoded from: the original's, or the rendition's. 0 from
  /// memory.
  public let encodedByteCount: Int
  /// How long each stage took; shared work counts once, as the work measured it.
  public var timings: StageTimings {
    var timings = stages
    if let total { timings.add(.total, total) }
    return timings
  }

  // Apart, because the stages are the same list for all who share the work.
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

  /// Why a picture from the web came from where it came, such as `stale for 2m, revalidated by ETag`; `nil` for
  /// other sources.
  public var httpDecision: HTTPDecision? { verdict.decision }

  /// What `httpDecision` is made of, so that a memory hit makes no text that nobody reads.
  enum Verdict: Sendable {
    case none
    case made(HTTPDecision)
    /// Served for so many more seconds without asking.
    case fresh(Double)

    /// In words.
    var decision: HTTPDecision? {
      switch self {
      case .none: nil
      case .made(let decision): decision
      case .fresh(let seconds): .fresh(forSeconds: seconds)
      }
    }

    /// For what is served past its lifetime because nobody can be asked.
    static func servedStale(_ validity: OriginalValidity, now: Date) -> Verdict {
      let decision = HTTPDecision.fresh(forSeconds: validity.freshUntil.timeIntervalSince(now))
      return .made(HTTPDecision(.stale, reason: "\(decision.reason), the origin cannot be reached"))
    }

    init(_ validity: OriginalValidity?, now: Date) {
      guard let validity else {
        self = .none
        return
      }
      self = .fresh(validity.freshUntil.timeIntervalSince(now))
    }

    init(_ decision: HTTPDecision?) {
      self = decision.map(Verdict.made) ?? .none
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
