/// When a transfer began, heard something, and must be given up. Instants come from the caller.
struct TransferTiming {
  typealias Instant = ContinuousClock.Instant

  let limits: HTTPTimeouts
  private(set) var startedAt: Instant?
  private(set) var firstByteAt: Instant?
  /// Nil until the hop has a connection, which is when the idle limit begins to run.
  private var lastActivityAt: Instant?

  init(limits: HTTPTimeouts) {
    self.limits = limits
  }

  /// Begins a hop. The total limit runs from the first one.
  mutating func beginHop(at now: Instant) {
    startedAt = startedAt ?? now
    firstByteAt = nil
    lastActivityAt = nil
  }

  /// Notes that the connection stands or that something went over it.
  mutating func noteActivity(at now: Instant) {
    lastActivityAt = now
  }

  /// Notes bytes of the response.
  mutating func noteResponse(at now: Instant) {
    lastActivityAt = now
    firstByteAt = firstByteAt ?? now
  }

  /// The limit that is passed, if any. The one on connecting is the transport's own.
  func overduePhase(at now: Instant) -> HTTPTimeoutPhase? {
    guard let startedAt else { return nil }
    if now >= startedAt.advanced(by: limits.total.bounded) { return .total }
    if let lastActivityAt, now >= lastActivityAt.advanced(by: limits.idle.bounded) { return .idle }
    return nil
  }

  /// An instant before which no limit can be passed, or nil before the start. A hop without connection may
  /// get one at any moment, `now` included.
  func nextCheck(after now: Instant) -> Instant? {
    guard let startedAt else { return nil }
    return min(
      startedAt.advanced(by: limits.total.bounded),
      (lastActivityAt ?? now).advanced(by: limits.idle.bounded))
  }
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
