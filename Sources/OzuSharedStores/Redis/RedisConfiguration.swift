import Foundation
import Ozu

/// What a `RedisStore` is made of.
public struct RedisConfiguration: Sendable {
  /// The servers. Each key has one of them, chosen by rendezvous hashing; all machines must name them alike.
  public var nodes: [RedisAddress]
  /// Whom the servers know the client as; `nil`, the default, for servers that ask for nobody.
  public var credentials: RedisCredentials?
  /// The number of the database. 0.
  public var database = 0
  /// What all keys begin with, so that a server may be shared with other programs. `ozu:`.
  public var keyPrefix = "ozu:"
  /// How long a command has, from the call to the answer: connecting, logging in and waiting for others included.
  /// 50 milliseconds. No call of a store takes longer, but those that remove many entries, where each step has it.
  public var deadline = Duration.milliseconds(50)
  /// How long an entry lives after it was written or last used; `nil` for as long as the server likes (`maxmemory-policy
  /// allkeys-lru`). 7 days.
  public var timeToLive: Duration? = .seconds(7 * 24 * 3600)
  /// The largest entry, in bytes. Larger ones are not kept. 4 MB.
  public var maximumEntryByteCount = 4 << 20
  /// Whether files as they came are kept too, which are large as a rule. Off: finished pictures and encoded images alone.
  public var keepsOriginals = false
  /// When a server is left alone.
  public var breaker = SharedStoreBreakerPolicy()
  /// How many commands may wait for a server. What comes on top is dropped. 1,000.
  public var maximumWaitingCount = 1000
  /// How many bytes of commands may wait for a server, a single larger command excepted. 16 MB.
  public var maximumWaitingByteCount = 16 << 20
  /// Told what goes wrong and what gets well again, on a queue of its own.
  public var onEvent: @Sendable (SharedStoreEvent) -> Void = { _ in }
  /// The monotonic time.
  var now: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }

  /// Makes the settings of a store on these servers; one at least.
  public init(nodes: [RedisAddress]) {
    precondition(!nodes.isEmpty, "a store on Redis needs a server")
    precondition(Set(nodes).count == nodes.count, "a server is named twice")
    self.nodes = nodes
  }

  /// What is said first on each connection.
  var login: [RESPCommand] {
    var commands: [RESPCommand] = []
    if let credentials {
      let user = credentials.user.map { [RESPCommand.Argument.text($0)] } ?? []
      commands.append(RESPCommand(["AUTH"] + user + [.text(credentials.password)]))
    }
    if database != 0 { commands.append(RESPCommand("SELECT", .number(database))) }
    return commands
  }

  /// Entries are asked for with a limit, so that no larger one is sent.
  var replyLimits: RESPLimits {
    var limits = RESPLimits()
    limits.bulkByteCount = max(64 << 10, maximumEntryByteCount + 1)
    limits.replyByteCount = limits.bulkByteCount + (4 << 20)
    return limits
  }
}
