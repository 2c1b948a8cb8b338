/// When a node of a shared store is left alone, and for how long.
public struct SharedStoreBreakerPolicy: Hashable, Sendable {
  /// After how many failures in a row the node is left alone. 3.
  public var failureLimit: Int
  /// How long it is left alone for the first time. 1 second.
  public var firstPause: Duration
  /// How long at most: the pause doubles with each probe that fails. 30 seconds.
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

/// Whether a node of a shared store is asked.
public enum SharedStoreNodeState: String, Hashable, Sendable {
  /// It is asked.
  case closed
  /// It failed several times in a row, and is left alone.
  case open
  /// It was left alone, and one question is on its way that tells whether it is well again.
  case halfOpen = "half-open"
}
