import OzuBase

/// The failure of a command to a Redis server. `ImageStoreError.underlying` contains it.
public struct RedisError: Error, Hashable, Sendable {
  /// The causes.
  public enum Reason: Hashable, Sendable {
    /// There is no connection; says why.
    case notConnected(String)
    /// The connection broke before the answer.
    case connectionLost
    /// The answer did not arrive within the deadline.
    case timedOut(Duration)
    /// The server's bytes are not valid RESP2, or not an answer to this command; says what is wrong.
    case protocolError(String)
    /// The server refused the command; its message, such as `OOM command not allowed when used memory >
    /// 'maxmemory'.`
    case refused(String)
    /// The circuit breaker is open, because the node failed several times in a row.
    case circuitOpen
    /// Too many commands wait for the node; this one was dropped.
    case overloaded
    /// The store was closed.
    case closed
  }

  /// The cause.
  public var reason: Reason
  /// The address of the server.
  public var node: String
  /// The number of the lost connection: many commands fail with it, but it counts as one failure.
  var incident: Int?

  init(_ reason: Reason, node: String, incident: Int? = nil) {
    self.reason = reason
    self.node = node
    self.incident = incident
  }
}

extension RedisError: LocalizedError, CustomStringConvertible {
  /// One line such as `10.0.0.7:6379 did not answer within 0.05 seconds`. Control characters from a server are
  /// written as numbers.
  public var description: String {
    let words =
      switch reason {
      case .notConnected(let why): "no connection to \(node): \(why)"
      case .connectionLost: "\(node) closed the connection"
      case .timedOut(let limit): "\(node) did not answer within \(limit)"
      case .protocolError(let what): "\(node) did not answer in RESP2: \(what)"
      case .refused(let text): "\(node) refused: \(text)"
      case .circuitOpen: "\(node) has failed repeatedly and is not asked for a while"
      case .overloaded: "too many commands wait for \(node)"
      case .closed: "the store is closed"
      }
    return PrintableText.escaped(words)
  }

  /// The description.
  public var errorDescription: String? { description }
}

extension RedisError {
  /// Whether the server answered and refused: the login, or the command. Then a setting is wrong, not the network.
  public var isRefusal: Bool {
    switch reason {
    case .refused: true
    case .notConnected(let why): why.hasPrefix(RedisSession.refusedLogin)
    default: false
    }
  }
}

extension RedisError.Reason {
  /// Whether the refusal means that the server can do nothing at all now, or nothing with these credentials. Others,
  /// such as OOM and READONLY, are about one command, and the server works.
  static func isFailure(_ refusal: String) -> Bool {
    let word = refusal.prefix { $0 != " " }
    return [
      "LOADING", "MASTERDOWN", "CLUSTERDOWN", "BUSY", "TRYAGAIN", "NOAUTH", "WRONGPASS",
    ].contains(String(word))
  }
}
