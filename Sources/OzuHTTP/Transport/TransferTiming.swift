/// When a transfer began, heard something, and must be given up. Instants come from the caller.
struct TransferTiming {
  typealias Instant = ContinuousClock.Instant

  let limits: HTTPTimeouts
  private(set) var startedAt: Instant?
  private(set) var firstByteAt: Instant?
  /// When the hop, or its turn to connect, began.
  private var hopStartedAt: Instant?
  /// Nil until the hop has a connection, which is when the idle limit begins to run.
  private var lastActivityAt: Instant?
  /// Since when, and how many bytes of the body have come since; nil until the response begins. A head that comes drop by
  /// drop has no bytes that count.
  private var speedWindow: (start: Instant, byteCount: Int)?
  /// Whether the receiver of the body holds the transfer up: then the other side is not to blame.
  private(set) var isPaused = false

  init(limits: HTTPTimeouts) {
    self.limits = limits
  }

  /// Begins a hop. The total limit runs from the first one.
  mutating func beginHop(at now: Instant) {
    startedAt = startedAt ?? now
    hopStartedAt = now
    firstByteAt = nil
    lastActivityAt = nil
    speedWindow = nil
    isPaused = false
  }

  /// Whether the hop has a connection.
  var isConnected: Bool { lastActivityAt != nil }

  /// When the hop has to have a connection; nil once it has one. For transports that tell when it does.
  var connectDeadline: Instant? {
    isConnected ? nil : hopStartedAt?.advanced(by: limits.connect.bounded)
  }

  /// Has the limit on connecting begin anew, for a hop that waited for its turn.
  mutating func restartConnecting(at now: Instant) {
    hopStartedAt = now
  }

  /// Notes that the connection stands or that something went over it.
  mutating func noteActivity(at now: Instant) {
    lastActivityAt = now
  }

  /// Notes bytes of the response.
  mutating func noteResponse(at now: Instant) {
    lastActivityAt = now
    guard firstByteAt == nil else { return }
    firstByteAt = now
    speedWindow = speedWindow ?? (now, 0)
  }

  /// Notes that the head is there and the body begins.
  mutating func beginBody(at now: Instant) {
    speedWindow = (now, 0)
  }

  /// Notes bytes of the body.
  mutating func noteBody(byteCount: Int, at now: Instant) {
    noteResponse(at: now)
    speedWindow?.byteCount += byteCount
  }

  /// Stops the limits on silence and speed, or has them begin anew.
  mutating func setPaused(_ paused: Bool, at now: Instant) {
    guard paused != isPaused else { return }
    isPaused = paused
    lastActivityAt = now
    if speedWindow != nil { speedWindow = (now, 0) }
  }

  /// The limit that is passed, if any, but for the one on connecting: see `connectDeadline`.
  ///
  /// A window of the minimum speed that is over and was fast enough makes place for the next.
  mutating func overduePhase(at now: Instant) -> HTTPTimeoutPhase? {
    guard let startedAt else { return nil }
    if now >= startedAt.advanced(by: limits.total.bounded) { return .total }
    guard !isPaused else { return nil }
    if let lastActivityAt, now >= lastActivityAt.advanced(by: limits.idle.bounded) { return .idle }
    guard let limit = limits.minimumSpeed, let (start, byteCount) = speedWindow,
      now >= start.advanced(by: limit.boundedWindow)
    else { return nil }
    // Over the time that has passed, which is longer than the window where the check was late.
    if Double(byteCount) < Double(limit.bytesPerSecond) * (now - start).inSeconds {
      return .speed(bytesPerSecond: limit.bytesPerSecond)
    }
    speedWindow = (now, 0)
    return nil
  }

  /// An instant before which no limit can be passed, or nil before the start. A hop without connection may
  /// get one at any moment, `now` included, and a body may begin, or go on.
  func nextCheck(after now: Instant) -> Instant? {
    guard let startedAt else { return nil }
    let idleStart = isPaused ? now : lastActivityAt ?? now
    var check = min(
      startedAt.advanced(by: limits.total.bounded), idleStart.advanced(by: limits.idle.bounded))
    if let limit = limits.minimumSpeed {
      let start = isPaused ? now : speedWindow?.start ?? now
      check = min(check, start.advanced(by: limit.boundedWindow))
    }
    return check
  }
}

extension HTTPMinimumSpeed {
  /// No shorter than what a busy machine can be held to.
  fileprivate var boundedWindow: Duration { max(window.bounded, .milliseconds(10)) }
}

extension Duration {
  /// Milliseconds, rounded down and kept within what C interfaces hold.
  var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    guard abs(seconds) < 1_000_000 else { return seconds < 0 ? -1_000_000_000 : 1_000_000_000 }
    return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }

  /// The same duration, neither negative nor too large to be added to an instant.
  fileprivate var bounded: Duration {
    min(max(self, .zero), .seconds(1_000_000_000))
  }
}
