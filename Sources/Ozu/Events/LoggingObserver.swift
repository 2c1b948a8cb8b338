/// Puts into words for a log what observers are told.
///
/// One line for each: a verb first, then how and how much, and the source last, so that lines of one source or of one
/// kind can be found by their end or their beginning.
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

  // MARK: Words

  private static func text(_ entry: ObservedEntry) -> String {
    let bytes = entry.byteCount > 0 ? ", \(entry.byteCount) bytes" : ""
    return "\(entry.layer.rawValue)\(bytes): \(entry.request.map(subject) ?? entry.source)"
  }

  /// A request in a few words: its source and what becomes of it.
  private static func subject(_ request: ImageRequest) -> String {
    ([request.source.name] + request.steps).joined(separator: " ")
  }

  /// In milliseconds with one digit, without a formatter.
  private static func text(_ time: Duration) -> String {
    let tenths = Int64(time / .microseconds(100))
    return "\(tenths / 10).\(tenths % 10) ms"
  }
}
