/// Where a Redis or Valkey server listens.
public enum RedisAddress: Hashable, Sendable, CustomStringConvertible {
  /// A host's name or address, and a port: `.tcp("10.0.0.7", port: 6379)`.
  case tcp(String, port: Int = 6379)
  /// A socket in the file system, of a server or of a proxy that speaks TLS: `.unix("/run/redis/redis.sock")`.
  case unix(String)

  /// The address as messages name it. It is also the node's name for the choice of nodes: machines that name a server
  /// differently look for keys in different places.
  public var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): path
    }
  }
}

/// Whom a server knows a client as.
public struct RedisCredentials: Hashable, Sendable, CustomStringConvertible {
  /// The user of an ACL; `nil` for the default user, whom `requirepass` gives a password.
  public var user: String?
  /// The password.
  public var password: String

  /// Makes credentials. They go over the connection as they are: where the network is not trusted, connect to a
  /// proxy that speaks TLS.
  public init(user: String? = nil, password: String) {
    self.user = user
    self.password = password
  }

  /// The user alone.
  public var description: String { "\(user ?? "default"):…" }
}
