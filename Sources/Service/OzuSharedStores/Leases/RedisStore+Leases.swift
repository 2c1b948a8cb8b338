import Ozu
import OzuBase

/// Leases on the server of the entry: a key with a time limit (`SET NX PX`), whose value identifies the holder.
///
/// The number of a lease is taken before the lease is requested, from a counter that begins with the time. So a
/// server that was emptied continues with larger numbers. A script on the server renews and releases leases: it
/// compares and changes in one step.
extension RedisStore: FillLeasing {
  /// Requests the lease of a key.
  public func acquireLease(for key: ImageStoreKey, lasting duration: Duration) async -> FillLeaseAnswer {
    let node = node(of: key)
    do throws(RedisError) {
      let counter = RESPCommand.Argument.text(configuration.keyPrefix + "l:fence")
      let start = Int(clamping: Date().timeIntervalSince1970 * 1_000_000)
      // The server executes the commands of one connection in order.
      node.send(RESPCommand("SET", counter, .number(start), "NX")) { _ in }
      guard case .integer(let number) = try await answer(node, RESPCommand("INCR", counter)), number > 0
      else {
        return .unavailable
      }
      let owner = CacheKey(high: .random(in: 0...UInt64.max), low: .random(in: 0...UInt64.max))
      let lease = FillLease(key: key, fencingToken: UInt64(number), owner: owner)
      let command = RESPCommand(
        "SET", .text(leaseName(key)), .text(Self.value(of: lease)), "NX", "PX",
        .number(duration.redisMilliseconds))
      switch try await answer(node, command) {
      case .simple("OK"): return .acquired(lease)
      case .null: return .held
      default: return .unavailable
      }
    } catch {
      return .unavailable
    }
  }

  /// Extends a lease: it lasts for `duration` from now.
  public func renew(_ lease: FillLease, lasting duration: Duration) async -> Bool {
    await run(Self.renewal, lease, [.number(duration.redisMilliseconds)])
  }

  /// Releases a lease.
  public func release(_ lease: FillLease) async { _ = await run(Self.release, lease) }

  /// Stores an entry if a lease of its key is still held, in one step: a holder whose lease has ended writes
  /// nothing. Blocks, at most for the deadline.
  ///
  /// - Returns: whether the entry was written.
  /// - Throws: `RedisError`.
  public func write(_ entry: ImageStoreEntry, under lease: FillLease) throws -> Bool {
    guard keeps(lease.key.kind), let data = encoded(entry, for: lease.key) else { return false }
    let node = node(of: lease.key)
    let keys: [RESPCommand.Argument] = [.text(leaseName(lease.key)), .text(name(of: lease.key))]
    let command = RESPCommand(
      ["EVAL", .text(Self.fencedWrite), 2] + keys + [.text(Self.value(of: lease)), .data(data)] + expiry)
    guard case .integer(let count) = try ask(node, command) else { throw unexpected(node) }
    if count == 1 { counts.count(\.writes) }
    return count == 1
  }

  private static let renewal =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0"
  private static let release =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
  private static let fencedWrite =
    "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end "
    + "redis.call('SET', KEYS[2], unpack(ARGV, 2)) return 1"

  private func run(_ script: String, _ lease: FillLease, _ more: [RESPCommand.Argument] = []) async -> Bool {
    let arguments: [RESPCommand.Argument] = [.text(leaseName(lease.key)), .text(Self.value(of: lease))]
    let command = RESPCommand(["EVAL", .text(script), 1] + arguments + more)
    let value = try? await answer(node(of: lease.key), command)
    return value == .integer(1)
  }

  private func leaseName(_ key: ImageStoreKey) -> String {
    "\(configuration.keyPrefix)l:\(key.kind.identifier):\(key.key)"
  }

  private static func value(of lease: FillLease) -> String { "\(lease.fencingToken):\(lease.owner)" }
}
