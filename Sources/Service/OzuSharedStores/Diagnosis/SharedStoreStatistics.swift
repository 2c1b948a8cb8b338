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
  /// The last error; `nil` if there was none.
  public var lastError: String?
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
