import Ozu
import OzuBase

/// Records what a pipeline does, in order, and lets a test wait for it without sleeping.
///
/// ```swift
/// let recorder = EventRecorder()
/// let pipeline = ImagePipeline.testing(client: client, recorder: recorder)
/// let task = pipeline.task(for: url)
/// await recorder.event { $0.isBegin(of: .network) }
/// task.cancel()
/// await recorder.event { $0.isRequestEnd }
/// ```
///
/// One lock guards it. Conditions are checked under the lock, so they must not use the recorder.
public final class EventRecorder: ImagePipelineObserving {
  private struct Waiter {
    let isWanted: @Sendable (RecordedEvent) -> Bool
    var missing: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var events: [RecordedEvent] = []
    var waiters: [Waiter] = []
  }

  private let state = Mutex(State())

  /// Makes an empty recorder. It may observe several pipelines.
  public init() {}

  /// The events so far, in the order in which they were reported.
  public var events: [RecordedEvent] { state.withLock { $0.events } }

  /// The number of events so far that meet a condition.
  public func count(where isWanted: (RecordedEvent) -> Bool) -> Int { events.count(where: isWanted) }

  /// Removes the events so far. Waiting calls continue to wait.
  public func removeAll() {
    state.withLock { $0.events = [] }
  }

  /// Returns when an event meets a condition: the first since the recorder was made or emptied.
  @discardableResult
  public func event(where isWanted: @escaping @Sendable (RecordedEvent) -> Bool) async -> RecordedEvent {
    await events(1, where: isWanted)[0]
  }

  /// Returns when that many events meet a condition, with the first of them.
  @discardableResult
  public func events(
    _ count: Int, where isWanted: @escaping @Sendable (RecordedEvent) -> Bool
  ) async -> [RecordedEvent] {
    precondition(count > 0, "the number of events to wait for must be at least 1")
    while true {
      let found = events.filter(isWanted)
      if found.count >= count { return Array(found.prefix(count)) }
      await withCheckedContinuation { continuation in
        let isThere = state.withLock { state in
          // Checked again: an event may have come since the check above.
          let missing = count - state.events.count(where: isWanted)
          if missing <= 0 { return true }
          state.waiters.append(Waiter(isWanted: isWanted, missing: missing, continuation: continuation))
          return false
        }
        if isThere { continuation.resume() }
      }
    }
  }

  private func add(_ event: RecordedEvent) {
    let resumed = state.withLock { state -> [Waiter] in
      state.events.append(event)
      guard !state.waiters.isEmpty else { return [] }
      var resumed: [Waiter] = []
      var waiting: [Waiter] = []
      for var waiter in state.waiters {
        if waiter.isWanted(event) { waiter.missing -= 1 }
        if waiter.missing == 0 { resumed.append(waiter) } else { waiting.append(waiter) }
      }
      state.waiters = waiting
      return resumed
    }
    for waiter in resumed { waiter.continuation.resume() }
  }

  // MARK: ImagePipelineObserving

  /// Records it.
  public func requestBegan(_ request: ObservedRequest) { add(.requestBegan(request)) }
  /// Records it.
  public func requestEnded(_ request: ObservedRequest, _ outcome: RequestOutcome, after time: Duration) {
    add(.requestEnded(request, outcome, after: time))
  }
  /// Records it.
  public func stageBegan(_ stage: ObservedStage) { add(.stageBegan(stage)) }
  /// Records it.
  public func stageEnded(_ stage: ObservedStage, after time: Duration, byteCount: Int) {
    add(.stageEnded(stage, after: time, byteCount: byteCount))
  }
  /// Records it.
  public func cacheHit(_ entry: ObservedEntry) { add(.hit(entry)) }
  /// Records it.
  public func cacheMissed(_ entry: ObservedEntry) { add(.miss(entry)) }
  /// Records it.
  public func cacheStored(_ entry: ObservedEntry) { add(.stored(entry)) }
  /// Records it.
  public func cacheEvicted(_ eviction: ObservedEviction) { add(.evicted(eviction)) }
}

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
