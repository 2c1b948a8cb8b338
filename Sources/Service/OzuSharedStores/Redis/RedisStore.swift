import Ozu
import OzuBase

/// A level of storage in Redis or Valkey that several machines share: renditions and encoded images that one
/// machine made are available to all.
///
/// ```swift
/// var redis = RedisConfiguration(nodes: [.tcp("10.0.0.7"), .tcp("10.0.0.8")])
/// redis.credentials = RedisCredentials(user: "images", password: secret)
/// let pipeline = ImagePipeline { $0.caching.stores = [RedisStore(redis)] }
/// ```
///
/// - No load fails because of it, and no step waits longer than `RedisConfiguration.deadline`: a server that is
///   slow, lost, full or sends wrong data causes a miss. After several failures in a row a server gets no commands
///   for a while (`SharedStoreBreakerPolicy`). Its keys are misses meanwhile. They do not move to another server,
///   because they would be out of date when the server is back.
/// - Entries have their key, lengths, a version and checksums. An entry that does not match is a miss and is
///   removed.
/// - It uses RESP2 over TCP or a Unix socket, without TLS and without the cluster protocol. A proxy on the same
///   machine (stunnel, a sidecar) can provide them.
///
/// Each server has one connection, which carries many commands at a time. One thread serves all of them; it starts
/// with the first command and ends with the store.
public final class RedisStore: Sendable {
  /// The settings of the store.
  public let configuration: RedisConfiguration
  let nodes: [RedisNode]
  let loop: RedisLoop
  let counts = SharedStoreCounts()
  let reporter: SharedStoreReporter
  private let hash: RendezvousHash

  /// Makes a store. Does not connect yet.
  public init(_ configuration: RedisConfiguration) {
    self.configuration = configuration
    let loop = RedisLoop(configuration: configuration)
    let reporter = SharedStoreReporter(now: configuration.now, configuration.onEvent)
    self.loop = loop
    self.reporter = reporter
    nodes = configuration.nodes.indices.map {
      RedisNode(place: $0, configuration: configuration, loop: loop, reporter: reporter)
    }
    hash = RendezvousHash(nodes.map(\.name))
  }

  deinit { loop.stop() }

  /// The counts so far, and the state of its servers.
  public var statistics: SharedStoreStatistics { counts.statistics(nodes: nodes.map(\.statistics)) }

  /// The server of a key and of its leases.
  func node(of key: ImageStoreKey) -> RedisNode { nodes[hash.node(of: key.key)] }

  var entryPrefix: String { configuration.keyPrefix + "e:" }

  func name(of key: ImageStoreKey) -> String { "\(entryPrefix)\(key.kind.identifier):\(key.key)" }

  func keeps(_ kind: ImageStoreKind) -> Bool { kind.isShared(keepingOriginals: configuration.keepsOriginals) }

  /// Sends a command and returns the answer. Blocks, at most for the deadline.
  func ask(_ node: RedisNode, _ command: RESPCommand) throws(RedisError) -> RESPValue {
    let answer = BlockingAnswer<Result<RESPValue, RedisError>>()
    node.send(command) { answer.set($0) }
    guard let result = answer.wait() else { throw RedisError(.closed, node: node.name) }
    return try result.get()
  }

  /// Sends a command and returns the answer, without blocking.
  func answer(_ node: RedisNode, _ command: RESPCommand) async throws(RedisError) -> RESPValue {
    let result = await withCheckedContinuation { continuation in
      node.send(command) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  func unexpected(_ node: RedisNode) -> RedisError {
    RedisError(.protocolError("the answer does not fit the command"), node: node.name)
  }

  /// Asks each server for a key that does not exist, with the credentials.
  ///
  /// - Returns: the errors; none if all servers answer.
  public func check() async -> [RedisError] {
    var errors: [RedisError] = []
    for node in nodes {
      do throws(RedisError) {
        _ = try await answer(node, RESPCommand("EXISTS", .text(entryPrefix + "check")))
      } catch {
        errors.append(error)
      }
    }
    return errors
  }

  // MARK: Reading

  /// The entry of a key, without blocking; `nil` if there is none or if the server did not answer.
  public func entry(for key: ImageStoreKey) async -> ImageStoreEntry? {
    guard keeps(key.kind) else { return nil }
    let node = node(of: key)
    do throws(RedisError) {
      return try entry(in: try await answer(node, readCommand(key)), for: key, of: node)
    } catch {
      return missed(error, key, node)
    }
  }

  /// Reads one byte more than the largest entry has, so that a larger value is recognized. A missing key has no
  /// bytes.
  func readCommand(_ key: ImageStoreKey) -> RESPCommand {
    RESPCommand("GETRANGE", .text(name(of: key)), 0, .number(configuration.maximumEntryByteCount))
  }

  func entry(in value: RESPValue, for key: ImageStoreKey, of node: RedisNode) throws(RedisError)
    -> ImageStoreEntry?
  {
    guard case .bulk(let data) = value else { throw unexpected(node) }
    if data.isEmpty {
      counts.count(\.misses)
      return nil
    }
    guard let entry = SharedEntry.decode(data, for: key, by: configuration.authenticationKey) else {
      discard(key, of: node, beginning: data)
      return nil
    }
    counts.count(\.hits)
    return entry
  }

  /// Removes a value that is not a valid entry, unless another machine has written a new one meanwhile. Does not wait for
  /// the answer.
  ///
  /// - Parameter beginning: the bytes that were read; `nil` for a value that is no string.
  func discard(_ key: ImageStoreKey, of node: RedisNode, beginning: Data?) {
    counts.count(\.damaged)
    counts.count(\.misses)
    reporter.report(.damaged(node: node.name))
    let name = RESPCommand.Argument.text(name(of: key))
    let command =
      beginning.map { RESPCommand("EVAL", .text(Self.removal), 1, name, .data($0)) }
      ?? RESPCommand("EVAL", .text(Self.foreignRemoval), 1, name)
    node.send(command) { _ in }
  }

  private static let removal =
    "if redis.call('GETRANGE', KEYS[1], 0, #ARGV[1] - 1) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
  private static let foreignRemoval =
    "local value = redis.pcall('GETRANGE', KEYS[1], 0, 0) if type(value) == 'table' then return redis.call('DEL', KEYS[1]) end return 0"

  /// Handles a failed read. A list or a set under our key belongs to another program, and is removed.
  func missed(_ error: RedisError, _ key: ImageStoreKey, _ node: RedisNode) -> ImageStoreEntry? {
    if error.isWrongType { discard(key, of: node, beginning: nil) } else { counts.count(\.misses) }
    return nil
  }

  // MARK: Writing

  /// The bytes of an entry; `nil` if it is too large.
  func encoded(_ entry: ImageStoreEntry, for key: ImageStoreKey) -> Data? {
    let data = SharedEntry.encode(entry, for: key, by: configuration.authenticationKey)
    guard data.count <= configuration.maximumEntryByteCount else {
      counts.count(\.tooLarge)
      return nil
    }
    return data
  }

  /// `PX` and the time to live, if entries expire.
  var expiry: [RESPCommand.Argument] {
    configuration.timeToLive.map { ["PX", .number($0.redisMilliseconds)] } ?? []
  }
}

extension RedisError {
  var isWrongType: Bool {
    if case .refused(let text) = reason { text.hasPrefix("WRONGTYPE") } else { false }
  }
}

extension Duration {
  /// Whole milliseconds, at least one.
  var redisMilliseconds: Int {
    let (seconds, attoseconds) = components
    return max(
      1,
      Int(clamping: seconds).saturatingProduct(1000).saturatingSum(
        Int(clamping: attoseconds / 1_000_000_000_000_000)))
  }
}

extension RESPCommand.Argument: ExpressibleByIntegerLiteral {
  init(integerLiteral number: Int) { self = .number(number) }
}

/// Decides which of several nodes has a key: the one with the highest score, which is a hash of the node's name and
/// the key (highest random weight; Thaler and Ravishankar 1998).
///
/// Every machine gets the same result from the same names, in any order. A new node takes its share from all
/// others, and if a node is removed, only its keys move.
struct RendezvousHash: Sendable {
  private let nodes: [CacheKey]

  /// - Parameter names: the names of the nodes, all different.
  init(_ names: [String]) { nodes = names.map { CacheKey($0) } }

  /// The index of the node that has a key, in the list given to the initializer.
  func node(of key: CacheKey) -> Int {
    guard nodes.count > 1 else { return 0 }
    func score(_ node: CacheKey) -> UInt64 {
      var builder = CacheKey.Builder(deriving: node)
      builder.append(key)
      return builder.key.low
    }
    return nodes.indices.max { score(nodes[$0]) < score(nodes[$1]) } ?? 0
  }
}
