import OzuBase

/// Records the work of a pipeline as a trace: a file that Perfetto (ui.perfetto.dev) and `chrome://tracing` open.
///
/// ```swift
/// let trace = TraceRecorder()
/// let pipeline = ImagePipeline { $0.observers = [trace] }
/// …
/// try trace.json().write(to: file)
/// ```
///
/// Stages are drawn on tracks; the network, the disk, decoding and storing have as many tracks as were busy at once.
/// Requests and waits for a decoder are separate spans, because any number of them overlap. Counters show the running
/// work and the downloaded bytes; hits and misses are instants. One lock guards everything.
///
/// A trace grows by about 300 bytes with every event, up to a limit. After that, only the ends of open spans are
/// recorded.
public final class TraceRecorder: ImagePipelineObserving {
  private let state: Mutex<TraceState>

  /// Makes an empty trace.
  ///
  /// - Parameter eventLimit: the largest number of events; a million by default.
  public init(eventLimit: Int = 1_000_000) { state = Mutex(TraceState(limit: max(0, eventLimit))) }

  /// The number of recorded events.
  public var eventCount: Int { state.withLock { $0.events.count } }

  /// The number of events that were dropped because of the limit.
  public var droppedEventCount: Int { state.withLock { $0.droppedCount } }

  /// Removes all recorded events. A stage that runs is recorded when it ends; the rest of an open request or wait is left out.
  public func removeAll() { state.withLock { $0.removeEvents() } }

  /// The trace as a file, in the JSON object form of the Trace Event Format.
  ///
  /// - Complexity: O(events).
  public func json() throws -> Data {
    struct Trace: Encodable {
      let traceEvents: [TraceEvent]
      let displayTimeUnit = "ms"
    }
    func name(_ kind: String, _ track: Int, _ name: String) -> TraceEvent {
      TraceEvent(.metadata, kind, "", at: 0, on: track, ["name": .text(name)])
    }
    let (events, tracks) = state.withLock { ($0.events, $0.tracks.names) }
    let names =
      [name("process_name", 0, "Ozu"), name("thread_name", TraceTracks.first(of: .caches), "caches")]
      + tracks.map { name("thread_name", $0.track, $0.name) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(Trace(traceEvents: names + events))
  }

  // MARK: Events

  /// Begins a span.
  public func requestBegan(_ request: ObservedRequest) {
    let source = request.request.source.name
    state.withLock { state in
      let time = state.time(request.start)
      state.begin("request", request.id, Self.shortName(source), at: time, source)
      state.countRequests(by: 1, at: time)
    }
  }

  /// Ends the span.
  public func requestEnded(_ request: ObservedRequest, _ outcome: RequestOutcome, after time: Duration) {
    let name = Self.shortName(request.request.source.name)
    state.withLock { state in
      let end = state.time(request.start.advanced(by: time))
      state.end("request", request.id, name, at: end, Self.arguments(outcome))
      state.countRequests(by: -1, at: end)
    }
  }

  /// Takes a track, or begins a span for a wait.
  public func stageBegan(_ stage: ObservedStage) {
    state.withLock { state in
      let time = state.time(stage.start)
      if stage.stage == .wait { return state.begin("wait", stage.id, "wait", at: time, stage.source) }
      state.openStages[stage.id] = state.tracks.take(TraceTracks.Group(stage.stage), from: time)
      state.count(stage.stage, by: 1, at: time)
    }
  }

  /// Draws the stage.
  public func stageEnded(_ stage: ObservedStage, after time: Duration, byteCount: Int) {
    state.withLock { state in
      let start = state.time(stage.start)
      let end = start + time / .microseconds(1)
      if stage.stage == .wait { return state.end("wait", stage.id, "wait", at: end, [:]) }
      guard let track = state.openStages.removeValue(forKey: stage.id) else { return }
      state.tracks.give(track, until: end)
      var event = TraceEvent(
        .complete, stage.stage.rawValue, "stage", at: start, on: track, ["source": .text(stage.source)])
      if byteCount > 0 { event.args["bytes"] = .number(byteCount) }
      event.dur = end - start
      state.add(event)
      if stage.stage == .network { state.downloadedByteCount += byteCount }
      state.count(stage.stage, by: -1, at: end)
    }
  }

  /// Records an instant.
  public func cacheHit(_ entry: ObservedEntry) { mark("hit", entry) }
  /// Records an instant.
  public func cacheMissed(_ entry: ObservedEntry) { mark("miss", entry) }
  /// Records an instant.
  public func cacheStored(_ entry: ObservedEntry) { mark("store", entry) }

  /// Records an instant.
  public func cacheEvicted(_ eviction: ObservedEviction) {
    mark(
      "evict \(eviction.store.rawValue)",
      ["count": .number(eviction.count), "format": .text(eviction.format ?? "")])
  }

  private func mark(_ verb: String, _ entry: ObservedEntry) {
    mark(
      "\(verb) \(entry.layer.rawValue)", ["source": .text(entry.source), "bytes": .number(entry.byteCount)])
  }

  private func mark(_ name: String, _ arguments: [String: TraceEvent.Argument]) {
    let track = TraceTracks.first(of: .caches)
    state.withLock { $0.add(TraceEvent(.instant, name, "cache", at: $0.latest, on: track, arguments)) }
  }

  // MARK: Texts

  /// The last component of a path, which fits on a span.
  private static func shortName(_ source: String) -> String {
    source.split(separator: "/").last.map(String.init) ?? source
  }

  private static func arguments(_ outcome: RequestOutcome) -> [String: TraceEvent.Argument] {
    switch outcome {
    case .picture(let response):
      ["from": .text(response.source.rawValue), "shared": .text(response.isCoalesced ? "yes" : "no")]
    case .data(let byteCount): ["bytes": .number(byteCount)]
    case .failure(let error): ["error": .text(error.explanation)]
    case .cancelled: ["error": .text("cancelled")]
    }
  }
}

private struct TraceState {
  let limit: Int
  private(set) var events: [TraceEvent] = []
  private(set) var droppedCount = 0
  /// The latest time of an event, for events without their own time.
  private(set) var latest = 0.0
  private var origin: ContinuousClock.Instant?
  /// Requests and waits whose beginning was recorded.
  private var openSpans: Set<Int> = []

  var tracks = TraceTracks()
  var openStages: [Int: Int] = [:]
  var downloadedByteCount = 0
  private var requestCount = 0
  private var downloadCount = 0
  private var decodeCount = 0

  init(limit: Int) { self.limit = limit }

  /// A time in microseconds since that of the first event.
  mutating func time(_ instant: ContinuousClock.Instant) -> Double {
    let start = origin ?? instant
    origin = start
    let time = start.duration(to: instant) / .microseconds(1)
    latest = max(latest, time)
    return time
  }

  mutating func removeEvents() { (events, openSpans, droppedCount) = ([], [], 0) }

  mutating func add(_ event: TraceEvent) {
    if events.count < limit { events.append(event) } else { droppedCount += 1 }
  }

  mutating func begin(_ category: String, _ id: Int, _ name: String, at time: Double, _ source: String) {
    if events.count < limit { openSpans.insert(id) }
    var event = TraceEvent(.asyncBegin, name, category, at: time, ["source": .text(source)])
    event.id = String(id)
    add(event)
  }

  /// Ends a span whose beginning was recorded, also when there is no more room.
  mutating func end(
    _ category: String, _ id: Int, _ name: String, at time: Double,
    _ arguments: [String: TraceEvent.Argument]
  ) {
    guard openSpans.remove(id) != nil else { return }
    latest = max(latest, time)
    var event = TraceEvent(.asyncEnd, name, category, at: time, arguments)
    event.id = String(id)
    events.append(event)
  }

  mutating func countRequests(by change: Int, at time: Double) {
    requestCount += change
    count("requests", "running", requestCount, at: time)
  }

  /// A stage more or less runs; the counters of downloads and decodes follow.
  mutating func count(_ stage: ImageStage, by change: Int, at time: Double) {
    switch stage {
    case .network:
      downloadCount += change
      count("downloads", "running", downloadCount, at: time)
      if change < 0 { count("downloaded", "bytes", downloadedByteCount, at: time) }
    case .decode:
      decodeCount += change
      count("decodes", "running", decodeCount, at: time)
    default: break
    }
  }

  private mutating func count(_ name: String, _ unit: String, _ value: Int, at time: Double) {
    add(TraceEvent(.counter, name, "count", at: time, [unit: .number(value)]))
  }
}
