/// Decides whether a node is asked at all: after failures in a row it is left alone for a while, then one question tells
/// whether it is well again.
///
/// ```
///           failureLimit failures in a row                  pause over: one probe
///   closed ───────────────────────────────► open ───────────────────────────────► half open
///     ▲                                       ▲   probe failed: twice the pause      │  │
///     │                                       └──────────────────────────────────────┘  │
///     └──────────────────────────── probe succeeded ────────────────────────────────────┘
/// ```
///
/// A value without a clock: the caller says what time it is. Who is permitted to ask says how that ended, with the permit.
/// Endings of permits from before the breaker opened or closed last do not count: they are news of a former state.
struct CircuitBreaker: Sendable {
  /// What a caller may ask with.
  struct Permit: Hashable, Sendable {
    /// Whether this is the question on which the state depends.
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
  /// How long it stays open.
  private var pause: Duration
  /// Changes whenever the breaker opens, lets a probe through or closes.
  private var period = 0

  init(_ policy: SharedStoreBreakerPolicy) {
    self.policy = policy
    pause = policy.firstPause
  }

  /// What the breaker does now.
  var state: SharedStoreNodeState {
    switch condition {
    case .closed: .closed
    case .open: .open
    case .halfOpen: .halfOpen
    }
  }

  /// Whether `permit` would give one.
  func isPermitting(at now: ContinuousClock.Instant) -> Bool {
    switch condition {
    case .closed: true
    case .open(let end): now >= end
    case .halfOpen: false
    }
  }

  /// Lets a caller ask; `nil` while the node is left alone.
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

  /// The node answered.
  mutating func succeed(_ permit: Permit) {
    guard permit.period == period else { return }
    switch condition {
    case .closed: condition = .closed(failureCount: 0)
    case .halfOpen:
      period += 1
      pause = policy.firstPause
      condition = .closed(failureCount: 0)
    case .open: break
    }
  }

  /// The node did not answer, or could not.
  mutating func fail(_ permit: Permit, at now: ContinuousClock.Instant) {
    guard permit.period == period else { return }
    switch condition {
    case .closed(let count):
      if count + 1 < policy.failureLimit {
        condition = .closed(failureCount: count + 1)
      } else {
        open(at: now)
      }
    case .halfOpen:
      pause = min(pause * 2, policy.longestPause)
      open(at: now)
    case .open: break
    }
  }

  /// The question was not put after all. A probe leaves its place to the next one.
  mutating func withdraw(_ permit: Permit, at now: ContinuousClock.Instant) {
    guard permit.period == period, case .halfOpen = condition else { return }
    period += 1
    condition = .open(until: now)
  }

  private mutating func open(at now: ContinuousClock.Instant) {
    period += 1
    condition = .open(until: now.advanced(by: pause))
  }
}
