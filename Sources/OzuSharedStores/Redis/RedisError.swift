import OzuText

/// Why a Redis server did not do something. `ImageStoreError.underlying` has it.
public struct RedisError: Error, Hashable, Sendable {
  /// The causes that may be told apart.
  public enum Reason: Hashable, Sendable {
    /// There is no connection; says why.
    case notConnected(String)
    /// The connection broke while the answer was awaited.
    case connectionLost
    /// The answer did not come within the deadline.
    case timedOut(Duration)
    /// The server's bytes are no RESP2, or no answer to what was asked; says what is wrong.
    case protocolError(String)
    /// The server refused; its own words, such as `OOM command not allowed when used memory > 'maxmemory'.`
    case refused(String)
    /// The node is left alone, because it failed several times in a row.
    case leftAlone
    /// More waits for the node than may wait; the command was dropped.
    case overloaded
    /// The store is gone.
    case closed
  }

  /// The cause.
  public var reason: Reason
  /// The address of the server.
  public var node: String
  /// The loss of a connection that this is about: it takes many commands with it, and is one failure.
  var incident: Int?

  init(_ reason: Reason, node: String, incident: Int? = nil) {
    self.reason = reason
    self.node = node
    self.incident = incident
  }
}

extension RedisError: CustomStringConvertible {
  /// One line such as `10.0.0.7:6379 did not answer within 0.05 seconds`. What a server sent stands in it with control characters
  /// written as numbers.
  public var description: String {
    let words =
      switch reason {
      case .notConnected(let why): "no connection to \(node): \(why)"
      case .connectionLost: "\(node) closed the connection"
      case .timedOut(let limit): "\(node) did not answer within \(limit)"
      case .protocolError(let what): "\(node) did not answer in RESP2: \(what)"
      case .refused(let text): "\(node) refused: \(text)"
      case .leftAlone: "\(node) is left alone for a while, because it failed"
      case .overloaded: "too much waits for \(node)"
      case .closed: "the store is closed"
      }
    return PrintableText.escaped(words)
  }
}

extension RedisError.Reason {
  /// Whether a refusal says that the server can do nothing at all now. Others, such as OOM and READONLY, are about
  /// one command: the server is well.
  static func isFailure(_ refusal: String) -> Bool {
    let word = refusal.prefix { $0 != " " }
    return ["LOADING", "MASTERDOWN", "CLUSTERDOWN", "BUSY", "TRYAGAIN"].contains(String(word))
  }
}
