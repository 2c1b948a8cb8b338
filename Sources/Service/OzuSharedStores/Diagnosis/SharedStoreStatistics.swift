/// The counts of a shared store since it was made.
public struct SharedStoreStatistics: Hashable, Sendable {
  /// Reads that found an entry.
  public var hits = 0
  /// Reads that found no entry, or whose server was not available.
  public var misses = 0
  /// Entries that were damaged, truncated, or belonged to another key or version. Each was a miss and was removed.
  public var damaged = 0
  /// Entries written.
  public var writes = 0
  /// Entries that were not written because they were too large.
  public var tooLarge = 0
  /// The servers, in the order of the configuration.
  public var nodes: [SharedStoreNodeStatistics] = []
}

/// The counts of one server of a shared store.
public struct SharedStoreNodeStatistics: Hashable, Sendable {
  /// The counts of commands.
  public struct Counts: Hashable, Sendable {
    /// Commands that were sent, or waited to be sent.
    public var commands = 0
    /// Commands without an answer within the deadline.
    public var timedOut = 0
    /// Commands without a connection, or whose connection broke.
    public var lost = 0
    /// Commands that the server refused.
    public var refused = 0
    /// Commands that were not sent because the circuit breaker was open.
    public var circuitOpen = 0
    /// Commands that were not sent because too many waited.
    public var dropped = 0
  }

  /// The address of the server, without credentials.
  public var name: String
  /// The state of the circuit breaker.
  public var state: SharedStoreNodeState
  /// The counts of commands.
  public var counts: Counts
  /// How long the commands took that were sent.
  public var times = SharedStoreTimes()
  /// The last error; `nil` if there was none.
  public var lastError: String?
}

/// How long commands took, from the call to their end: the answer, the deadline or the loss of the connection.
public struct SharedStoreTimes: Hashable, Sendable {
  /// The upper bounds of the first buckets, in seconds. The last bucket has no bound.
  public static let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.3, 1]

  /// The number of commands in each bucket: one more than there are bounds.
  public private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
  /// The sum of the times, in seconds.
  public private(set) var sum = 0.0

  mutating func add(_ time: Duration) {
    let seconds = time / .seconds(1)
    counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    sum += seconds
  }
}

/// An event of a shared store, for a log.
public enum SharedStoreEvent: Hashable, Sendable {
  /// The circuit breaker of a server opened, sends a probe, or closed; with the error that caused it.
  case nodeChanged(node: String, state: SharedStoreNodeState, error: String?)
  /// An entry was damaged, truncated, or belonged to another key or version, and was removed.
  case damaged(node: String)
  /// A command was dropped because too many waited for a server. Reported at most once per second.
  case dropped(node: String)
  /// A server refused a command, because it is full or read-only for example; with its reason. It is still asked.
  /// Reported at most once per minute.
  case refused(node: String, error: String)
}
