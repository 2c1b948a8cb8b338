/// The time limits of a transfer. The caller passes the current instant.
struct TransferTiming {
  typealias Instant = ContinuousClock.Instant

  let limits: HTTPTimeouts
  private(set) var startedAt: Instant?
  private(set) var firstByteAt: Instant?
  /// The start of the hop, or of its turn to connect.
  private var hopStartedAt: Instant?
  /// The last activity. Nil until the hop has a connection; then the idle limit begins.
  private var lastActivityAt: Instant?
  /// The start of the window, and the bytes of the body since then; nil until the response begins. The bytes of a
  /// slow head do not count.
  private var speedWindow: (start: Instant, byteCount: Int)?
  /// Whether the receiver of the body pauses the transfer: then silence is not the origin's fault.
  private(set) var isPaused = false

  init(limits: HTTPTimeouts) {
    self.limits = limits
  }

  /// Begins a hop. The total limit runs from the first hop.
  mutating func beginHop(at now: Instant) {
    endHop()
    startedAt = startedAt ?? now
    hopStartedAt = now
    firstByteAt = nil
  }

  /// Ends a hop that was redirected. The next one may wait for its turn, and meanwhile only the total limit runs.
  mutating func endHop() {
    hopStartedAt = nil
    lastActivityAt = nil
    speedWindow = nil
    isPaused = false
  }

  /// Whether the hop has a connection.
  var isConnected: Bool { lastActivityAt != nil }

  /// The instant until which the hop must have a connection; nil after it has one. For transports that report the
  /// connection.
  var connectDeadline: Instant? {
    isConnected ? nil : hopStartedAt?.advanced(by: limits.connect.bounded)
  }

  /// Restarts the limit on connecting, for a hop that waited for its turn.
  mutating func restartConnecting(at now: Instant) {
    hopStartedAt = now
  }

  /// Records that the connection was made, or that bytes were sent or received.
  mutating func noteActivity(at now: Instant) {
    lastActivityAt = now
  }

  /// Records bytes of the response.
  mutating func noteResponse(at now: Instant) {
    lastActivityAt = now
    guard firstByteAt == nil else { return }
    firstByteAt = now
    speedWindow = speedWindow ?? (now, 0)
  }

  /// Records that the head is complete and the body begins.
  mutating func beginBody(at now: Instant) {
    speedWindow = (now, 0)
  }

  /// Records bytes of the body.
  mutating func noteBody(byteCount: Int, at now: Instant) {
    noteResponse(at: now)
    speedWindow?.byteCount += byteCount
  }

  /// Stops or restarts the limits on silence and speed.
  mutating func setPaused(_ paused: Bool, at now: Instant) {
    guard paused != isPaused else { return }
    isPaused = paused
    lastActivityAt = now
    if speedWindow != nil { speedWindow = (now, 0) }
  }

  /// The limit that was exceeded, if any, except the limit on connecting: see `connectDeadline`.
  ///
  /// If a window of the minimum speed is over and was fast enough, the next window begins.
  mutating func overduePhase(at now: Instant) -> HTTPTimeoutPhase? {
    guard let startedAt else { return nil }
    if now >= startedAt.advanced(by: limits.total.bounded) { return .total }
    guard !isPaused else { return nil }
    if let lastActivityAt, now >= lastActivityAt.advanced(by: limits.idle.bounded) { return .idle }
    guard let limit = limits.minimumSpeed, let (start, byteCount) = speedWindow,
      now >= start.advanced(by: limit.boundedWindow)
    else { return nil }
    // Measured over the time that has passed, which is longer than the window if the check was late.
    if Double(byteCount) < Double(limit.bytesPerSecond) * (now - start).inSeconds {
      return .speed(bytesPerSecond: limit.bytesPerSecond)
    }
    speedWindow = (now, 0)
    return nil
  }

  /// An instant before which no limit can be exceeded, or nil before the start. A hop without a connection may get
  /// one at any moment, including `now`, and a body may begin or continue.
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
  /// At least the shortest window that is reliable on a busy machine.
  fileprivate var boundedWindow: Duration { max(window.bounded, .milliseconds(10)) }
}

extension Duration {
  /// Milliseconds, rounded down and limited to the range of C interfaces.
  var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    guard abs(seconds) < 1_000_000 else { return seconds < 0 ? -1_000_000_000 : 1_000_000_000 }
    return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }

  /// The same duration, limited to values that can be added to an instant.
  fileprivate var bounded: Duration {
    min(max(self, .zero), .seconds(1_000_000_000))
  }
}
