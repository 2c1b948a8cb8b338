import OzuBase

/// Writes the events of a pipeline to a log.
///
/// One line for each event: first a verb, then figures, and the source last, so that lines of one kind or of one
/// source can be found by their beginning or their end.
struct LoggingObserver: ImagePipelineObserving {
  private let log: any ImageLogging

  init(_ log: any ImageLogging) {
    self.log = log
  }

  func requestBegan(_ request: ObservedRequest) {
    log.log(.debug, "request \(request.id): \(Self.subject(request.request))")
  }

  func requestEnded(_ request: ObservedRequest, _ outcome: RequestOutcome, after time: Duration) {
    let time = Self.text(time)
    switch outcome {
    case .picture(let response):
      let shared = response.isCoalesced ? ", shared" : ""
      log.log(
        .info, "from \(response.source.rawValue) in \(time)\(shared): \(Self.subject(request.request))")
    case .data(let byteCount):
      log.log(.info, "\(byteCount) bytes in \(time): \(Self.subject(request.request))")
    case .cancelled: log.log(.info, "cancelled after \(time): \(Self.subject(request.request))")
    case .failure(let error): log.log(.error, "failed after \(time): \(error)")
    }
  }

  func stageEnded(_ stage: ObservedStage, after time: Duration, byteCount: Int) {
    let bytes = byteCount > 0 ? ", \(byteCount) bytes" : ""
    log.log(.debug, "\(stage.stage.rawValue) took \(Self.text(time))\(bytes): \(stage.source)")
  }

  func cacheHit(_ entry: ObservedEntry) { log.log(.debug, "hit \(Self.text(entry))") }
  func cacheMissed(_ entry: ObservedEntry) { log.log(.debug, "miss \(Self.text(entry))") }
  func cacheStored(_ entry: ObservedEntry) { log.log(.debug, "store \(Self.text(entry))") }

  func cacheEvicted(_ eviction: ObservedEviction) {
    let format = eviction.format.map { " of format \($0)" } ?? ""
    log.log(.notice, "evicted \(eviction.count) from \(eviction.store.rawValue)\(format)")
  }

  // MARK: Texts

  private static func text(_ entry: ObservedEntry) -> String {
    let bytes = entry.byteCount > 0 ? ", \(entry.byteCount) bytes" : ""
    return "\(entry.layer.rawValue)\(bytes): \(entry.request.map(subject) ?? entry.source)"
  }

  /// The text of a request: its source and its steps.
  private static func subject(_ request: ImageRequest) -> String {
    ([request.source.name] + request.steps).joined(separator: " ")
  }

  /// In milliseconds with one digit, without a formatter.
  private static func text(_ time: Duration) -> String {
    let tenths = Int64(clamping: time / .microseconds(100))
    return "\(tenths / 10).\(tenths % 10) ms"
  }
}
