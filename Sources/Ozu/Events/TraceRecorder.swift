import Foundation
import OzuSynchronization

/// Records what a pipeline does as a trace: a file that Perfetto (ui.perfetto.dev) and `chrome://tracing` open.
///
/// ```swift
/// let trace = TraceRecorder()
/// let pipeline = ImagePipeline { $0.observers = [trace] }
/// …
/// try trace.json().write(to: file)
/// ```
///
/// Stages are drawn on lanes: as many for the network, the disk, decoding and storing as were busy at once. Requests
/// and waits for a decoder, of which any number overlap, are spans of their own. Counters show what is under way and
/// how much has been downloaded; hits and misses are moments. One lock guards it all.
///
/// A trace grows with every event, about 300 bytes each, up to a limit; after that only what had begun is ended.
public final class TraceRecorder: ImagePipelineObserving {
  private let state = Mutex(TraceState())
  private let limit: Int

  /// Makes an empty trace.
  ///
  /// - Parameter eventLimit: how many events it holds at most; a million by default.
  public init(eventLimit: Int = 1_000_000) {
    limit = max(0, eventLimit)
  }

  /// How many events it holds.
  public var eventCount: Int { state.withLock { $0.events.count } }

  /// How many events came after the limit was reached.
  public var droppedEventCount: Int { state.withLock { $0.droppedCount } }

  /// Forgets all that is over.
  public func removeAll() {
    state.withLock { $0.removeEvents() }
  }

  /// The trace as a file in the JSON object form of the Trace Event Format.
  ///
  /// - Complexity: O(events).
  public func json() throws -> Data {
    let (events, lanes) = state.withLock { ($0.events, $0.lanes.names) }
    var names = [TraceEvent(.metadata, "process_name", "", at: 0, ["name": .text("Ozu")])]
    names.append(
      TraceEvent(
        .metadata, "thread_name", "", at: 0, on: TraceLanes.first(of: .caches), ["name": .text("caches")]))
    for lane in lanes {
      names.append(
        TraceEvent(.metadata, "thread_name", "", at: 0, on: lane.lane, ["name": .text(lane.name)]))
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(Trace(traceEvents: names + events))
  }

  private struct Trace: Encodable {
    let traceEvents: [TraceEvent]
    let displayTimeUnit = "ms"
  }

  // MARK: What is told

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

  /// Ends it.
  public func requestEnded(_ request: ObservedRequest, _ outcome: RequestOutcome, after time: Duration) {
    state.withLock { state in
      state.requestCount -= 1
      let end = state.time(request.start.advanced(by: time))
      let name = Self.shortName(request.request.source.name)
      state.end(span: request.id, name, "request", at: end, Self.arguments(outcome))
      state.count("requests", ["running": state.requestCount], at: end, limit)
    }
  }

  /// Takes a lane, or begins a span for a wait.
  public func stageBegan(_ stage: ObservedStage) {
    state.withLock { state in
      let time = state.time(stage.start)
      if stage.stage == .wait {
        state.begin(span: stage.id, "wait", "wait", at: time, limit, ["source": .text(stage.source)])
        return
      }
      state.openStages[stage.id] = state.lanes.take(TraceLanes.Group(stage.stage), from: time)
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
      guard let lane = state.openStages.removeValue(forKey: stage.id) else { return }
      state.lanes.give(lane, until: start + length)
      var arguments: [String: TraceEvent.Argument] = ["source": .text(stage.source)]
      if byteCount > 0 { arguments["bytes"] = .number(byteCount) }
      var event = TraceEvent(
        .complete, stage.stage.rawValue, "stage", at: start, on: lane, arguments)
      event.dur = length
      state.add(event, limit)
      if stage.stage == .network { state.downloadedByteCount += byteCount }
      state.note(stage.stage, by: -1, at: start + length, limit)
    }
  }

  /// Marks the moment.
  public func cacheHit(_ entry: ObservedEntry) { mark("hit \(entry.layer.rawValue)", entry) }
  /// Marks the moment.
  public func cacheMissed(_ entry: ObservedEntry) { mark("miss \(entry.layer.rawValue)", entry) }
  /// Marks the moment.
  public func cacheStored(_ entry: ObservedEntry) { mark("store \(entry.layer.rawValue)", entry) }

  /// Marks the moment.
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
      let lane = TraceLanes.first(of: .caches)
      state.add(
        TraceEvent(.instant, name, "cache", at: state.latest, on: lane, arguments), limit)
    }
  }

  // MARK: Words

  private static func microseconds(_ time: Duration) -> Double { time / .microseconds(1) }

  /// The last part of a path: what fits on a span.
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
