/// What a shared store did since it was made.
public struct SharedStoreStatistics: Hashable, Sendable {
  /// Reads that found an entry.
  public var hits = 0
  /// Reads that found none, or nobody to ask.
  public var misses = 0
  /// Entries that were damaged, cut off, another's or of another version: each was a miss, and was removed.
  public var damaged = 0
  /// Entries written.
  public var writes = 0
  /// Entries that were too large, and were not written.
  public var tooLarge = 0
  /// The servers, in the order of the configuration.
  public var nodes: [SharedStoreNodeStatistics] = []
}

/// What one server of a shared store did.
public struct SharedStoreNodeStatistics: Hashable, Sendable {
  /// How often things happened.
  public struct Counts: Hashable, Sendable {
    /// Commands that were sent, or waited to be.
    public var commands = 0
    /// Commands without an answer within the deadline.
    public var timedOut = 0
    /// Commands for which there was no connection, or whose connection broke.
    public var lost = 0
    /// Commands that the server refused.
    public var refused = 0
    /// Commands that were not sent, because the server was left alone.
    public var leftAlone = 0
    /// Commands that were not sent, because too much waited.
    public var dropped = 0
  }

  /// The address, without credentials.
  public var name: String
  /// Whether it is asked.
  public var state: SharedStoreNodeState
  /// How often things happened.
  public var counts: Counts
  /// What went wrong last; `nil` if nothing has.
  public var lastError: String?
}

/// News of a shared store for a log.
public enum SharedStoreEvent: Hashable, Sendable {
  /// A server is left alone, asked with a probe, or asked again; with the error that led to it.
  case nodeChanged(String, SharedStoreNodeState, String?)
  /// An entry was damaged, cut off, another's or of another version, and was removed.
  case damaged(node: String)
  /// A command was dropped, because too much waited for a server. Told once a second at most.
  case dropped(node: String)
}
