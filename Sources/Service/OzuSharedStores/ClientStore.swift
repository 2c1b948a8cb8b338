public import Ozu
import OzuBase

/// A level of storage over a client that a service already has: three asynchronous functions that get, set and
/// remove bytes under a name.
///
/// ```swift
/// let store = ClientStore(
///   name: "valkey",
///   get: { name in try await client.get(ValkeyKey(name)).map { Data(ByteBuffer($0).readableBytesView) } },
///   set: { name, data in try await client.set(ValkeyKey(name), value: data, expiration: .seconds(604_800)) },
///   remove: { name in try await client.unlink(keys: [ValkeyKey(name)]) })
/// ```
///
/// It adds the same protection as `RedisStore` and `S3Store`: entries have their key, length and checksums, and an
/// entry that does not match is a miss and is removed; no call takes longer than a deadline; after several failures
/// in a row the client is not called for a while. A call that exceeds the deadline is cancelled.
///
/// One lock guards the breaker and the counts. The client is never called under it.
public final class ClientStore: ImageStoring {
  /// The reason why a call failed.
  public enum Failure: Error, Hashable, Sendable {
    /// No answer within this time.
    case timedOut(Duration)
    /// The circuit breaker is open: the client failed recently and is not called for a while.
    case circuitOpen
    /// The client threw an error; its description.
    case client(String)
    /// Three functions are not enough to list all names.
    case cannotRemoveAll
  }

  /// The name of the store in messages.
  public let name: String
  /// The prefix of all names. Default: `ozu:`.
  public let keyPrefix: String
  /// The time limit for a call.
  public let deadline: Duration
  private let keepsOriginals: Bool
  private let authenticationKey: SharedEntryKey?
  private let get: @Sendable (String) async throws -> Data?
  private let set: @Sendable (String, Data) async throws -> Void
  private let removeName: @Sendable (String) async throws -> Void
  private let now: @Sendable () -> ContinuousClock.Instant
  private let breaker: Mutex<CircuitBreaker>
  private let counts = SharedStoreCounts()

  /// Makes a level.
  ///
  /// - Parameters:
  ///   - name: the name for messages.
  ///   - keyPrefix: the prefix of all names. Default: `ozu:`.
  ///   - deadline: the time limit for a call. Default: 300 milliseconds.
  ///   - keepsOriginals: whether originals are stored too. Default: true.
  ///   - authenticationKey: the secret that entries are authenticated with; `nil`, the default, for none.
  ///   - breakerPolicy: when the client is not called for a while.
  ///   - get: returns the bytes under a name; `nil` for none.
  ///   - set: stores bytes under a name.
  ///   - remove: removes a name, whether it exists or not.
  public convenience init(
    name: String, keyPrefix: String = "ozu:", deadline: Duration = .milliseconds(300),
    keepsOriginals: Bool = true, authenticationKey: SharedEntryKey? = nil,
    breakerPolicy: SharedStoreBreakerPolicy = SharedStoreBreakerPolicy(),
    get: @escaping @Sendable (String) async throws -> Data?,
    set: @escaping @Sendable (String, Data) async throws -> Void,
    remove: @escaping @Sendable (String) async throws -> Void
  ) {
    self.init(
      name: name, keyPrefix: keyPrefix, deadline: deadline, keepsOriginals: keepsOriginals,
      authenticationKey: authenticationKey, breakerPolicy: breakerPolicy, now: { ContinuousClock.now },
      get: get, set: set, remove: remove)
  }

  init(
    name: String, keyPrefix: String, deadline: Duration, keepsOriginals: Bool,
    authenticationKey: SharedEntryKey? = nil, breakerPolicy: SharedStoreBreakerPolicy,
    now: @escaping @Sendable () -> ContinuousClock.Instant,
    get: @escaping @Sendable (String) async throws -> Data?,
    set: @escaping @Sendable (String, Data) async throws -> Void,
    remove: @escaping @Sendable (String) async throws -> Void
  ) {
    self.name = name
    self.keyPrefix = keyPrefix
    self.deadline = deadline
    self.keepsOriginals = keepsOriginals
    self.authenticationKey = authenticationKey
    self.get = get
    self.set = set
    removeName = remove
    self.now = now
    breaker = Mutex(CircuitBreaker(breakerPolicy))
  }

  /// The counts so far, and whether the client is called.
  public var statistics: SharedStoreStatistics {
    let state = breaker.withLock { $0.state }
    return counts.statistics(nodes: [
      SharedStoreNodeStatistics(name: name, state: state, counts: .init(), lastError: nil)
    ])
  }

  // MARK: The level

  /// Whether the client would be called. Does not say whether it has the key.
  public func mayContain(_ key: ImageStoreKey) -> Bool {
    let now = now()
    return keeps(key.kind) && breaker.withLock { $0.isPermitting(at: now) }
  }

  /// The entry of a key. Blocks, at most for the deadline.
  ///
  /// - Throws: `Failure`.
  public func read(_ key: ImageStoreKey) throws -> ImageStoreEntry? {
    guard keeps(key.kind) else { return nil }
    let place = place(of: key)
    guard let data = try wait({ [get] in try await get(place) }) else {
      counts.count(\.misses)
      return nil
    }
    guard let entry = SharedEntry.decode(data, for: key, by: authenticationKey) else {
      counts.count(\.damaged)
      counts.count(\.misses)
      try? remove(key)
      return nil
    }
    counts.count(\.hits)
    return entry
  }

  /// Stores an entry. Blocks, at most for the deadline.
  ///
  /// - Throws: `Failure`.
  public func write(_ entry: ImageStoreEntry, for key: ImageStoreKey) throws {
    guard keeps(key.kind) else { return }
    let place = place(of: key)
    let data = SharedEntry.encode(entry, for: key, by: authenticationKey)
    try wait { [set] in try await set(place, data) }
    counts.count(\.writes)
  }

  /// Removes an entry. Blocks, at most for the deadline.
  ///
  /// - Throws: `Failure`.
  public func remove(_ key: ImageStoreKey) throws {
    guard keeps(key.kind) else { return }
    let place = place(of: key)
    try wait { [removeName] in try await removeName(place) }
  }

  /// Not supported; always throws.
  ///
  /// - Throws: `Failure.cannotRemoveAll`.
  public func removeAll(of kind: ImageStoreKind) throws { throw Failure.cannotRemoveAll }

  /// Not supported; always throws.
  ///
  /// - Throws: `Failure.cannotRemoveAll`.
  public func removeAll() throws { throw Failure.cannotRemoveAll }

  // MARK: The client

  private func keeps(_ kind: ImageStoreKind) -> Bool { kind.isShared(keepingOriginals: keepsOriginals) }

  private func place(of key: ImageStoreKey) -> String { "\(keyPrefix)\(key.kind.identifier):\(key.key)" }

  private func wait<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws(Failure)
    -> Value
  {
    let start = now()
    guard let permit = breaker.withLock({ $0.permit(at: start) }) else { throw .circuitOpen }
    let answer = BlockingAnswer<Result<Value, Failure>>()
    // The caller is a thread of the pipeline, which may block; the client runs on the cooperative pool.
    let task = Task.detached {
      do { answer.set(.success(try await work())) } catch { answer.set(.failure(.client("\(error)"))) }
    }
    let result = answer.wait(atMost: deadline) ?? .failure(.timedOut(deadline))
    let end = now()
    switch result {
    case .success: breaker.withLock { $0.succeed(permit) }
    case .failure:
      task.cancel()
      breaker.withLock { $0.fail(permit, at: end) }
    }
    return try result.get()
  }
}
