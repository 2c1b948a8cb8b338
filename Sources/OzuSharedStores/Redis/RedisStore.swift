import Foundation
import Ozu

/// A level of storage in Redis or Valkey, which machines share: finished pictures and encoded images that one of them made
/// are there for all.
///
/// ```swift
/// var redis = RedisConfiguration(nodes: [.tcp("10.0.0.7"), .tcp("10.0.0.8")])
/// redis.credentials = RedisCredentials(user: "images", password: secret)
/// let pipeline = ImagePipeline { $0.caching.stores = [RedisStore(redis)] }
/// ```
///
/// - No load fails for it, and none waits longer than `RedisConfiguration.deadline` for a step: what is slow, lost, full or
///   lying is a miss. A server that fails several times in a row is left alone for a while (`SharedStoreBreakerPolicy`); its
///   keys are misses meanwhile, and move to no other server, where they would be out of date when it is back.
/// - Entries have their key, lengths, a version and checksums. What does not fit is a miss, and is removed.
/// - It speaks RESP2 over TCP or a Unix socket, without TLS and without the protocol of clusters: a proxy on the same machine
///   (stunnel, a sidecar) has these tasks.
///
/// One connection for each server, on which many commands are under way, and one thread for all of them, which begins with
/// the first command and ends with the store.
public final class RedisStore: Sendable {
  /// What it was made of.
  public let configuration: RedisConfiguration
  let nodes: [RedisNode]
  let loop: RedisLoop
  let counts = SharedStoreCounts()
  let news: SharedStoreNews
  private let hash: RendezvousHash

  /// Makes a store. Connects to nothing yet.
  public init(_ configuration: RedisConfiguration) {
    self.configuration = configuration
    let loop = RedisLoop(configuration: configuration)
    let news = SharedStoreNews(now: configuration.now, configuration.onEvent)
    self.loop = loop
    self.news = news
    nodes = configuration.nodes.indices.map {
      RedisNode(place: $0, configuration: configuration, loop: loop, news: news)
    }
    hash = RendezvousHash(nodes.map(\.name))
  }

  deinit { loop.stop() }

  /// What it did so far, and how its servers are.
  public var statistics: SharedStoreStatistics { counts.statistics(nodes: nodes.map(\.statistics)) }

  /// The server that has a key, and its leases.
  func node(of key: ImageStoreKey) -> RedisNode { nodes[hash.node(of: key.key)] }

  /// What the keys of all entries begin with.
  var entryPrefix: String { configuration.keyPrefix + "e:" }

  func name(of key: ImageStoreKey) -> String { "\(entryPrefix)\(key.kind.identifier):\(key.key)" }

  func keeps(_ kind: ImageStoreKind) -> Bool { kind.isShared(keepingOriginals: configuration.keepsOriginals) }

  /// The answer to a command. Blocks, for the deadline at most.
  func ask(_ node: RedisNode, _ command: RESPCommand) throws(RedisError) -> RESPValue {
    let answer = BlockingAnswer<Result<RESPValue, RedisError>>()
    node.send(command) { answer.set($0) }
    guard let result = answer.wait() else { throw RedisError(.closed, node: node.name) }
    return try result.get()
  }

  /// The answer to a command, without blocking.
  func answer(_ node: RedisNode, _ command: RESPCommand) async throws(RedisError) -> RESPValue {
    let result = await withCheckedContinuation { continuation in
      node.send(command) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  func unexpected(_ node: RedisNode) -> RedisError {
    RedisError(.protocolError("the answer is not one to this command"), node: node.name)
  }

  // MARK: Reading

  /// The entry of a key, without blocking; `nil` when there is none, and when the server does not say.
  public func entry(for key: ImageStoreKey) async -> ImageStoreEntry? {
    guard keeps(key.kind) else { return nil }
    let node = node(of: key)
    do throws(RedisError) {
      return try entry(in: try await answer(node, readCommand(key)), for: key, of: node)
    } catch {
      return missed(error, key, node)
    }
  }

  /// One byte more than the largest entry has, so that a larger value is told from it. A missing key has no bytes.
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
    guard let entry = SharedEntry.decode(data, for: key) else {
      discard(key, of: node)
      return nil
    }
    counts.count(\.hits)
    return entry
  }

  /// Has what is no entry of ours removed. Nobody waits for that.
  func discard(_ key: ImageStoreKey, of node: RedisNode) {
    counts.count(\.damaged)
    counts.count(\.misses)
    news.tell(.damaged(node: node.name))
    node.send(RESPCommand("UNLINK", .text(name(of: key)))) { _ in }
  }

  /// A read that failed. A list or a set under one of our keys is another's, and is removed.
  func missed(_ error: RedisError, _ key: ImageStoreKey, _ node: RedisNode) -> ImageStoreEntry? {
    if error.isOfAnotherType { discard(key, of: node) } else { counts.count(\.misses) }
    return nil
  }

  // MARK: Writing

  /// The command that writes an entry; `nil` when it is too large.
  func encoded(_ entry: ImageStoreEntry, for key: ImageStoreKey) -> Data? {
    let data = SharedEntry.encode(entry, for: key)
    guard data.count <= configuration.maximumEntryByteCount else {
      counts.count(\.tooLarge)
      return nil
    }
    return data
  }

  /// `PX` and the time, where entries expire.
  var expiry: [RESPCommand.Argument] {
    configuration.timeToLive.map { ["PX", .number($0.redisMilliseconds)] } ?? []
  }
}

extension RedisError {
  /// Whether the key has something that is no string.
  var isOfAnotherType: Bool {
    if case .refused(let text) = reason { text.hasPrefix("WRONGTYPE") } else { false }
  }
}

extension Duration {
  /// Whole milliseconds, one at least.
  var redisMilliseconds: Int {
    let (seconds, attoseconds) = components
    return max(1, Int(clamping: seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }
}

extension RESPCommand.Argument: ExpressibleByIntegerLiteral {
  init(integerLiteral number: Int) { self = .number(number) }
}
