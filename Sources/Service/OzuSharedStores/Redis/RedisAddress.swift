/// The address of a Redis or Valkey server.
public enum RedisAddress: Hashable, Sendable, CustomStringConvertible {
  /// A host name or IP address, and a port: `.tcp("10.0.0.7", port: 6379)`.
  case tcp(String, port: Int = 6379)
  /// A socket in the file system, of a server or of a TLS proxy: `.unix("/run/redis/redis.sock")`.
  case unix(String)

  /// The address for messages. It is also the node's name for the choice of nodes: machines that name the same
  /// server differently look for keys in different places.
  public var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): path
    }
  }
}

/// The credentials for a server.
public struct RedisCredentials: Hashable, Sendable, CustomStringConvertible {
  /// The user of an ACL; `nil` for the default user, whose password is set by `requirepass`.
  public var user: String?
  /// The password.
  public var password: String

  /// Makes credentials. They are sent in clear text: if the network is not trusted, connect to a TLS proxy.
  public init(user: String? = nil, password: String) {
    self.user = user
    self.password = password
  }

  /// The user, without the password.
  public var description: String { "\(user ?? "default"):…" }
}
