import OzuBase

/// Counts the connections of listeners by their state, for metrics. A connection has one state at a time, so the sum is their number.
///
/// One lock guards the counts. A listener takes it when a connection changes its state, a few times for each request.
public final class ConnectionCounts: Sendable {
  /// What a connection is doing.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// No byte of a request has arrived since it was opened, or since the last answer.
    case idle
    /// A request is arriving: a part of its head, or the body of an upload.
    case reading
    /// The service makes the answer.
    case answering
    /// The answer is being sent: the client takes it more slowly than it is made.
    case writing
    /// Everything was sent, and the client is to close its side.
    case closing
  }

  private struct Counts {
    var connections = [State: Int]()
    var limit = 0
  }

  private let counts = Mutex(Counts())

  /// Makes counts of no connection.
  public init() {}

  /// The number of connections in each state; `nil` while no listener counts here, as behind a web framework.
  public var connections: [State: Int]? {
    counts.withLock { counts in
      guard counts.limit > 0 else { return nil }
      return counts.connections.merging(State.allCases.map { ($0, 0) }) { count, _ in count }
    }
  }

  /// The most connections at a time, of all listeners that count here.
  public var limit: Int { counts.withLock { $0.limit } }

  /// - Parameter limit: the most connections of a listener that begins, or less than 0 for one that ends.
  func addLimit(_ limit: Int) { counts.withLock { $0.limit += limit } }

  /// - Parameters:
  ///   - old: the state until now; `nil` for a new connection.
  ///   - new: the state from now on; `nil` for a connection that was closed.
  func change(from old: State?, to new: State?) {
    guard old != new else { return }
    counts.withLock { counts in
      if let old { counts.connections[old, default: 0] -= 1 }
      if let new { counts.connections[new, default: 0] += 1 }
    }
  }
}
