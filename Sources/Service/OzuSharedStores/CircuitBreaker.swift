/// When the circuit breaker of a node opens, and for how long.
public struct SharedStoreBreakerPolicy: Hashable, Sendable {
  /// The number of failures in a row after which the breaker opens. Default: 3.
  public var failureLimit: Int
  /// How long the breaker stays open the first time. Default: 1 second.
  public var firstPause: Duration
  /// The longest time that it stays open: the time doubles with each probe that fails. Default: 30 seconds.
  public var longestPause: Duration

  /// Makes a policy.
  public init(
    failureLimit: Int = 3, firstPause: Duration = .seconds(1), longestPause: Duration = .seconds(30)
  ) {
    self.failureLimit = max(1, failureLimit)
    self.firstPause = firstPause
    self.longestPause = max(firstPause, longestPause)
  }
}

/// The state of the circuit breaker of a node.
public enum SharedStoreNodeState: String, Hashable, Sendable {
  /// The node gets all commands.
  case closed
  /// The node failed several times in a row, and gets no commands for a while.
  case open
  /// The node gets one command, whose result decides the next state.
  case halfOpen = "half-open"
}

/// Decides whether a node gets commands: after several failures in a row it gets none for a while; then one probe
/// shows whether it works again.
///
/// ```
///           failureLimit failures in a row                  pause over: one probe
///   closed ───────────────────────────────► open ───────────────────────────────► half open
///     ▲                                       ▲   probe failed: twice the pause      │  │
///     │                                       └──────────────────────────────────────┘  │
///     └──────────────────────────── probe succeeded ────────────────────────────────────┘
/// ```
///
/// A value without a clock: the caller passes the time. A caller with a permit reports the result with that permit.
/// The results of permits from before the last change of state do not count.
struct CircuitBreaker: Sendable {
  struct Permit: Hashable, Sendable {
    /// Whether this command decides the next state.
    let isProbe: Bool
    fileprivate let period: Int
  }

  private enum Condition {
    case closed(failureCount: Int)
    case open(until: ContinuousClock.Instant)
    case halfOpen
  }

  private let policy: SharedStoreBreakerPolicy
  private var condition = Condition.closed(failureCount: 0)
  /// How long the breaker stays open.
  private var pause: Duration
  /// Changes each time that the breaker opens, permits a probe or closes.
  private var period = 0

  init(_ policy: SharedStoreBreakerPolicy) {
    self.policy = policy
    pause = policy.firstPause
  }

  var state: SharedStoreNodeState {
    switch condition {
    case .closed: .closed
    case .open: .open
    case .halfOpen: .halfOpen
    }
  }

  func isPermitting(at now: ContinuousClock.Instant) -> Bool {
    var copy = self
    return copy.permit(at: now) != nil
  }

  /// Permits a command; `nil` while the breaker is open.
  mutating func permit(at now: ContinuousClock.Instant) -> Permit? {
    switch condition {
    case .closed: return Permit(isProbe: false, period: period)
    case .open(let end) where now >= end:
      period += 1
      condition = .halfOpen
      return Permit(isProbe: true, period: period)
    case .open, .halfOpen: return nil
    }
  }

  /// Records that the node answered.
  mutating func succeed(_ permit: Permit) {
    guard permit.period == period else { return }
    if case .halfOpen = condition { (period, pause) = (period + 1, policy.firstPause) }
    condition = .closed(failureCount: 0)
  }

  /// Records that the node did not answer.
  mutating func fail(_ permit: Permit, at now: ContinuousClock.Instant) {
    guard permit.period == period else { return }
    switch condition {
    case .closed(let count) where count + 1 < policy.failureLimit:
      return condition = .closed(failureCount: count + 1)
    case .halfOpen: pause = min(pause * 2, policy.longestPause)
    case .closed, .open: break
    }
    period += 1
    condition = .open(until: now.advanced(by: pause))
  }
}
