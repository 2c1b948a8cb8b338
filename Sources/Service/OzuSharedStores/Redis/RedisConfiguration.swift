import Ozu
import OzuBase

/// The settings of a `RedisStore`.
public struct RedisConfiguration: Sendable {
  /// The servers. Rendezvous hashing chooses one of them for each key; all machines must use the same names.
  public var nodes: [RedisAddress]
  /// The credentials; `nil`, the default, for servers without authentication.
  public var credentials: RedisCredentials?
  /// The number of the database. Default: 0.
  public var database = 0
  /// The prefix of all keys, so that other programs can use the same server. Default: `ozu:`.
  public var keyPrefix = "ozu:"
  /// The time limit for a command, from the call to the answer, including connecting, logging in and waiting for
  /// other commands. Default: 50 milliseconds. No call of a store takes longer, except calls that remove many
  /// entries, where it applies to each step.
  public var deadline = Duration.milliseconds(50)
  /// How long an entry lives after it was written; `nil` lets the server decide (`maxmemory-policy allkeys-lru`). A read does not
  /// restart the time; a picture of a cache format that a machine serves from memory does. Default: 7 days.
  public var timeToLive: Duration? = .seconds(7 * 24 * 3600)
  /// The most bytes of an entry. Larger ones are not stored. Default: 4 MB.
  public var maximumEntryByteCount = 4 << 20
  /// Whether originals, which are usually large, are stored too. Default: false, only renditions and encoded images
  /// are stored.
  public var keepsOriginals = false
  /// The secret that entries are authenticated with; `nil`, the default, for none: then whoever can write to the servers can put
  /// pictures there.
  public var authenticationKey: SharedEntryKey?
  /// When the circuit breaker of a server opens.
  public var breaker = SharedStoreBreakerPolicy()
  /// The most commands that may wait for a server. Further ones are dropped. Default: 1,000.
  public var maximumWaitingCount = 1000
  /// The most bytes of commands that may wait for a server; a single larger command is allowed. Default: 16 MB.
  public var maximumWaitingByteCount = 16 << 20
  /// Called for failures and recoveries, on a queue of its own.
  public var onEvent: @Sendable (SharedStoreEvent) -> Void = { _ in }
  var now: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }

  /// Makes the settings of a store on these servers; at least one.
  public init(nodes: [RedisAddress]) {
    precondition(!nodes.isEmpty, "a store on Redis needs a server")
    precondition(Set(nodes).count == nodes.count, "a server is named twice")
    self.nodes = nodes
  }

  /// The commands that are sent first on each connection.
  var login: [RESPCommand] {
    var commands: [RESPCommand] = []
    if let credentials {
      let user = credentials.user.map { [RESPCommand.Argument.text($0)] } ?? []
      commands.append(RESPCommand(["AUTH"] + user + [.text(credentials.password)]))
    }
    if database != 0 { commands.append(RESPCommand("SELECT", .number(database))) }
    return commands
  }

  /// Entries are requested with a limit, so no larger one is sent.
  var replyLimits: RESPLimits {
    var limits = RESPLimits()
    // A value of Redis has 512 MB at most, so a larger limit, such as the largest number, means none.
    limits.bulkByteCount = max(64 << 10, min(maximumEntryByteCount, 1 << 30) + 1)
    limits.replyByteCount = limits.bulkByteCount + (4 << 20)
    return limits
  }
}

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
