import Ozu
import OzuBase

/// The level of storage. Every call except `mayContain` blocks, at most for the deadline.
///
/// Writes wait in the pipeline's queue for further levels, which is bounded and drops entries
/// (`PipelineStatistics.droppedStoreWrites`). In addition, a server with too many waiting bytes accepts no more
/// commands (`RedisConfiguration.maximumWaitingByteCount`).
extension RedisStore: ImageStoring {
  /// `redis`.
  public var name: String { "redis" }

  /// Whether the server of the key gets commands now. Does not say whether it has the key.
  public func mayContain(_ key: ImageStoreKey) -> Bool { keeps(key.kind) && node(of: key).isPermitting }

  /// The entry of a key.
  ///
  /// - Throws: `RedisError`.
  public func read(_ key: ImageStoreKey) throws -> ImageStoreEntry? {
    guard keeps(key.kind) else { return nil }
    let node = node(of: key)
    do throws(RedisError) {
      return try entry(in: try ask(node, readCommand(key)), for: key, of: node)
    } catch {
      _ = missed(error, key, node)
      if error.isWrongType { return nil }
      throw error
    }
  }

  /// The metadata of an entry, without its body if that is large.
  public func metadata(of key: ImageStoreKey) throws -> Data? {
    guard keeps(key.kind) else { return nil }
    let node = node(of: key)
    let command = RESPCommand("GETRANGE", .text(name(of: key)), 0, .number(Self.beginningByteCount - 1))
    do {
      guard case .bulk(let data) = try ask(node, command) else { throw unexpected(node) }
      if data.isEmpty { return nil }
      let secret = configuration.authenticationKey
      guard let metadata = try SharedEntry.metadata(ofBeginning: data, for: key, by: secret) else {
        discard(key, of: node, beginning: data)
        return nil
      }
      return metadata
    } catch is SharedEntry.NeedsMore {
      return try read(key)?.metadata
    } catch let error as RedisError where error.isWrongType {
      discard(key, of: node, beginning: nil)
      return nil
    }
  }

  private static let beginningByteCount = 8 << 10

  /// Stores an entry. If it is too large, the key's former entry is removed instead.
  public func write(_ entry: ImageStoreEntry, for key: ImageStoreKey) throws {
    guard keeps(key.kind) else { return }
    guard let data = encoded(entry, for: key) else { return try remove(key) }
    let node = node(of: key)
    let command = RESPCommand(["SET", .text(name(of: key)), .data(data)] + expiry)
    guard case .simple("OK") = try ask(node, command) else { throw unexpected(node) }
    counts.count(\.writes)
  }

  /// Restarts the time to live of an entry.
  public func touch(_ key: ImageStoreKey) throws -> Bool {
    guard keeps(key.kind) else { return false }
    let (node, place) = (node(of: key), RESPCommand.Argument.text(name(of: key)))
    // Not `contains`, which reads the beginning of the entry or all of it: each picture that memory has comes here.
    let command =
      configuration.timeToLive.map { RESPCommand("PEXPIRE", place, .number($0.redisMilliseconds)) }
      ?? RESPCommand("EXISTS", place)
    return try count(ask(node, command), node) > 0
  }

  /// Removes an entry.
  public func remove(_ key: ImageStoreKey) throws {
    guard keeps(key.kind) else { return }
    let node = node(of: key)
    _ = try count(ask(node, RESPCommand("UNLINK", .text(name(of: key)))), node)
  }

  /// Removes all entries of a kind: goes through the keys of all servers (`SCAN`), a thousand at a time.
  ///
  /// - Complexity: O(all keys of the servers), including those of other programs.
  public func removeAll(of kind: ImageStoreKind) throws {
    guard keeps(kind) else { return }
    try removeAll(beginningWith: "\(entryPrefix)\(kind.identifier):")
  }

  /// Removes all entries with the prefix: goes through the keys of all servers, a thousand at a time.
  ///
  /// - Complexity: O(all keys of the servers), including those of other programs.
  public func removeAll() throws { try removeAll(beginningWith: entryPrefix) }

  /// Continues with the other servers if one of them fails.
  private func removeAll(beginningWith prefix: String) throws {
    var failure: (any Error)?
    for node in nodes {
      do { try removeAll(beginningWith: prefix, on: node) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  private func removeAll(beginningWith prefix: String, on node: RedisNode) throws {
    let pattern = prefix.map { "\\*?[]^-".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "*"
    var cursor = "0"
    // A bound on the steps: a server with a thousand million keys needs this many.
    for _ in 0..<1_000_000 {
      let value = try ask(node, RESPCommand("SCAN", .text(cursor), "MATCH", .text(pattern), "COUNT", 1000))
      guard case .array(let parts) = value, parts.count == 2, case .bulk(let next) = parts[0],
        case .array(let found) = parts[1], let nextCursor = String(data: next, encoding: .utf8)
      else { throw unexpected(node) }
      let keys = found.compactMap { value -> Data? in if case .bulk(let key) = value { key } else { nil } }
      // Servers are not trusted: a key without the prefix is not removed.
      let ours = keys.filter { $0.starts(with: prefix.utf8) }
      if !ours.isEmpty {
        _ = try count(ask(node, RESPCommand(["UNLINK"] + ours.map(RESPCommand.Argument.data))), node)
      }
      if nextCursor == "0" { return }
      cursor = nextCursor
    }
    throw RedisError(.protocolError("a listing does not end"), node: node.name)
  }

  private func count(_ value: RESPValue, _ node: RedisNode) throws(RedisError) -> Int64 {
    guard case .integer(let count) = value else { throw unexpected(node) }
    return count
  }
}
