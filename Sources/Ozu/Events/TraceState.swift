/// The state that a `TraceRecorder` guards with its lock: the recorded events, and the open spans and stages.
struct TraceState {
  private(set) var events: [TraceEvent] = []
  private(set) var droppedCount = 0
  /// The latest time of an event, for events without their own time.
  private(set) var latest = 0.0
  private var origin: ContinuousClock.Instant?
  /// Requests and waits whose beginning was recorded.
  private var openSpans: Set<Int> = []

  var tracks = TraceTracks()
  /// The track of each running stage.
  var openStages: [Int: Int] = [:]
  var requestCount = 0
  var downloadedByteCount = 0
  private var downloadCount = 0
  private var decodeCount = 0

  /// A time in microseconds since that of the first event.
  mutating func time(_ instant: ContinuousClock.Instant) -> Double {
    let start = origin ?? instant
    origin = start
    let time = start.duration(to: instant) / .microseconds(1)
    latest = max(latest, time)
    return time
  }

  mutating func removeEvents() {
    events = []
    openSpans = []
    droppedCount = 0
  }

  /// Adds an event while there is room.
  @discardableResult
  mutating func add(_ event: TraceEvent, _ limit: Int) -> Bool {
    guard events.count < limit else {
      droppedCount += 1
      return false
    }
    events.append(event)
    return true
  }

  mutating func begin(
    span id: Int, _ name: String, _ category: String, at time: Double, _ limit: Int,
    _ arguments: [String: TraceEvent.Argument]
  ) {
    var event = TraceEvent(.asyncBegin, name, category, at: time, arguments)
    event.id = String(id)
    if add(event, limit) { openSpans.insert(id) }
  }

  /// Ends a span whose beginning was recorded, also when there is no more room.
  mutating func end(
    span id: Int, _ name: String, _ category: String, at time: Double,
    _ arguments: [String: TraceEvent.Argument]
  ) {
    guard openSpans.remove(id) != nil else { return }
    latest = max(latest, time)
    var event = TraceEvent(.asyncEnd, name, category, at: time, arguments)
    event.id = String(id)
    events.append(event)
  }

  mutating func count(_ name: String, _ values: [String: Int], at time: Double, _ limit: Int) {
    add(TraceEvent(.counter, name, "count", at: time, values.mapValues(TraceEvent.Argument.number)), limit)
  }

  /// A stage more or less is under way; the counters of downloads and decodes follow.
  mutating func note(_ stage: ImageStage, by change: Int, at time: Double, _ limit: Int) {
    switch stage {
    case .network:
      downloadCount += change
      count("downloads", ["running": downloadCount], at: time, limit)
      if change < 0 { count("downloaded", ["bytes": downloadedByteCount], at: time, limit) }
    case .decode:
      decodeCount += change
      count("decodes", ["running": decodeCount], at: time, limit)
    default: break
    }
  }
}
