import Foundation
import OzuSynchronization

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
  private let state = Mutex(TraceState())
  private let limit: Int

  /// Makes an empty trace.
  ///
  /// - Parameter eventLimit: the largest number of events; a million by default.
  public init(eventLimit: Int = 1_000_000) {
    limit = max(0, eventLimit)
  }

  /// The number of recorded events.
  public var eventCount: Int { state.withLock { $0.events.count } }

  /// The number of events that were dropped because of the limit.
  public var droppedEventCount: Int { state.withLock { $0.droppedCount } }

  /// Removes all recorded events. Open spans continue.
  public func removeAll() {
    state.withLock { $0.removeEvents() }
  }

  /// The trace as a file, in the JSON object form of the Trace Event Format.
  ///
  /// - Complexity: O(events).
  public func json() throws -> Data {
    let (events, tracks) = state.withLock { ($0.events, $0.tracks.names) }
    var names = [TraceEvent(.metadata, "process_name", "", at: 0, ["name": .text("Ozu")])]
    names.append(
      TraceEvent(
        .metadata, "thread_name", "", at: 0, on: TraceTracks.first(of: .caches), ["name": .text("caches")]))
    for track in tracks {
      names.append(
        TraceEvent(.metadata, "thread_name", "", at: 0, on: track.track, ["name": .text(track.name)]))
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(Trace(traceEvents: names + events))
  }

  private struct Trace: Encodable {
    let traceEvents: [TraceEvent]
    let displayTimeUnit = "ms"
  }

  // MARK: Events

  /// Begins a span.
  public func requestBegan(_ request: ObservedRequest) {
    state.withLock { state in
      state.requestCount += 1
      let time = state.time(request.start)
      let name = Self.shortName(request.request.source.name)
      state.begin(
        span: request.id, name, "request", at: time, limit, ["source": .text(request.request.source.name)])
      state.count("requests", ["running": state.requestCount], at: time, limit)
    }
  }

  /// Ends the span.
  public func requestEnded(_ request: ObservedRequest, _ outcome: RequestOutcome, after time: Duration) {
    state.withLock { state in
      state.requestCount -= 1
      let end = state.time(request.start.advanced(by: time))
      let name = Self.shortName(request.request.source.name)
      state.end(span: request.id, name, "request", at: end, Self.arguments(outcome))
      state.count("requests", ["running": state.requestCount], at: end, limit)
    }
  }

  /// Takes a track, or begins a span for a wait.
  public func stageBegan(_ stage: ObservedStage) {
    state.withLock { state in
      let time = state.time(stage.start)
      if stage.stage == .wait {
        state.begin(span: stage.id, "wait", "wait", at: time, limit, ["source": .text(stage.source)])
        return
      }
      state.openStages[stage.id] = state.tracks.take(TraceTracks.Group(stage.stage), from: time)
      state.note(stage.stage, by: 1, at: time, limit)
    }
  }

  /// Draws the stage.
  public func stageEnded(_ stage: ObservedStage, after time: Duration, byteCount: Int) {
    state.withLock { state in
      let start = state.time(stage.start)
      let length = Self.microseconds(time)
      if stage.stage == .wait {
        state.end(span: stage.id, "wait", "wait", at: start + length, [:])
        return
      }
      guard let track = state.openStages.removeValue(forKey: stage.id) else { return }
      state.tracks.give(track, until: start + length)
      var arguments: [String: TraceEvent.Argument] = ["source": .text(stage.source)]
      if byteCount > 0 { arguments["bytes"] = .number(byteCount) }
      var event = TraceEvent(
        .complete, stage.stage.rawValue, "stage", at: start, on: track, arguments)
      event.dur = length
      state.add(event, limit)
      if stage.stage == .network { state.downloadedByteCount += byteCount }
      state.note(stage.stage, by: -1, at: start + length, limit)
    }
  }

  /// Records an instant.
  public func cacheHit(_ entry: ObservedEntry) { mark("hit \(entry.layer.rawValue)", entry) }
  /// Records an instant.
  public func cacheMissed(_ entry: ObservedEntry) { mark("miss \(entry.layer.rawValue)", entry) }
  /// Records an instant.
  public func cacheStored(_ entry: ObservedEntry) { mark("store \(entry.layer.rawValue)", entry) }

  /// Records an instant.
  public func cacheEvicted(_ eviction: ObservedEviction) {
    mark(
      "evict \(eviction.store.rawValue)",
      ["count": .number(eviction.count), "format": .text(eviction.format ?? "")])
  }

  private func mark(_ name: String, _ entry: ObservedEntry) {
    mark(name, ["source": .text(entry.source), "bytes": .number(entry.byteCount)])
  }

  private func mark(_ name: String, _ arguments: [String: TraceEvent.Argument]) {
    state.withLock { state in
      let track = TraceTracks.first(of: .caches)
      state.add(
        TraceEvent(.instant, name, "cache", at: state.latest, on: track, arguments), limit)
    }
  }

  // MARK: Texts

  private static func microseconds(_ time: Duration) -> Double { time / .microseconds(1) }

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
