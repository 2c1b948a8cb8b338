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
