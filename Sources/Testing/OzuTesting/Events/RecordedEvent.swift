import Ozu

/// An event that a pipeline has reported to an `EventRecorder`.
public enum RecordedEvent: Sendable {
  /// A request began.
  case requestBegan(ObservedRequest)
  /// A request ended.
  case requestEnded(ObservedRequest, RequestOutcome, after: Duration)
  /// A stage began.
  case stageBegan(ObservedStage)
  /// A stage ended.
  case stageEnded(ObservedStage, after: Duration, byteCount: Int)
  /// A cache had the entry that was looked up.
  case hit(ObservedEntry)
  /// A cache did not have it.
  case miss(ObservedEntry)
  /// A cache stored an entry.
  case stored(ObservedEntry)
  /// A cache evicted entries.
  case evicted(ObservedEviction)

  /// Whether this is the beginning of a stage, for any source or for the given one.
  public func isBegin(of stage: ImageStage, source: String? = nil) -> Bool {
    guard case .stageBegan(let observed) = self else { return false }
    return observed.stage == stage && (source.map { $0 == observed.source } ?? true)
  }

  /// Whether this is the end of a stage, for any source or for the given one.
  public func isEnd(of stage: ImageStage, source: String? = nil) -> Bool {
    guard case .stageEnded(let observed, _, _) = self else { return false }
    return observed.stage == stage && (source.map { $0 == observed.source } ?? true)
  }

  /// Whether this is a hit in a layer.
  public func isHit(in layer: ImageCacheLayer) -> Bool {
    if case .hit(let entry) = self { entry.layer == layer } else { false }
  }

  /// Whether this is a miss in a layer.
  public func isMiss(in layer: ImageCacheLayer) -> Bool {
    if case .miss(let entry) = self { entry.layer == layer } else { false }
  }

  /// Whether a layer has stored an entry.
  public func isStore(in layer: ImageCacheLayer) -> Bool {
    if case .stored(let entry) = self { entry.layer == layer } else { false }
  }

  /// Whether this is the end of a request.
  public var isRequestEnd: Bool {
    if case .requestEnded = self { true } else { false }
  }
}

extension RecordedEvent: CustomStringConvertible {
  /// One or two words and the source, without times, so that a test can compare it.
  public var description: String {
    switch self {
    case .requestBegan(let request): "request \(request.request.source.name)"
    case .requestEnded(let request, let outcome, _):
      "\(Self.text(outcome)) \(request.request.source.name)"
    case .stageBegan(let stage): "begin \(stage.stage.rawValue) \(stage.source)"
    case .stageEnded(let stage, _, _): "end \(stage.stage.rawValue) \(stage.source)"
    case .hit(let entry): "hit \(entry.layer.rawValue) \(entry.source)"
    case .miss(let entry): "miss \(entry.layer.rawValue) \(entry.source)"
    case .stored(let entry): "store \(entry.layer.rawValue) \(entry.source)"
    case .evicted(let eviction):
      "evict \(eviction.count) \(eviction.store.rawValue)" + (eviction.format.map { " of \($0)" } ?? "")
    }
  }

  private static func text(_ outcome: RequestOutcome) -> String {
    switch outcome {
    case .picture(let response): "answer \(response.source.rawValue)"
    case .data: "answer data"
    case .failure(let error): "fail \(error.kind)"
    case .cancelled: "cancel"
    }
  }
}
