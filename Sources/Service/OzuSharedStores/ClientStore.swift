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

  /// The settings of a `ClientStore`.
  public struct Configuration: Sendable {
    /// The prefix of all names. Default: `ozu:`.
    public var keyPrefix = "ozu:"
    /// The time limit for a call. Default: 300 milliseconds.
    public var deadline = Duration.milliseconds(300)
    /// Whether originals are stored too. Default: true.
    public var keepsOriginals = true
    /// The secret that entries are authenticated with; `nil`, the default, for none.
    public var authenticationKey: SharedEntryKey?
    /// When the client is not called for a while.
    public var breaker = SharedStoreBreakerPolicy()
    var now: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  }

  /// The name of the store in messages.
  public let name: String
  /// The settings.
  public let configuration: Configuration
  private let get: @Sendable (String) async throws -> Data?
  private let set: @Sendable (String, Data) async throws -> Void
  private let removeName: @Sendable (String) async throws -> Void
  private let breaker: Mutex<CircuitBreaker>
  private let counts = SharedStoreCounts()

  /// Makes a level.
  ///
  /// - Parameters:
  ///   - name: the name for messages.
  ///   - get: returns the bytes under a name; `nil` for none.
  ///   - set: stores bytes under a name.
  ///   - remove: removes a name, whether it exists or not.
  ///   - configure: changes the default settings: `{ $0.deadline = .milliseconds(50) }`.
  public init(
    name: String, get: @escaping @Sendable (String) async throws -> Data?,
    set: @escaping @Sendable (String, Data) async throws -> Void,
    remove: @escaping @Sendable (String) async throws -> Void,
    _ configure: (inout Configuration) -> Void = { _ in }
  ) {
    var configuration = Configuration()
    configure(&configuration)
    self.name = name
    self.configuration = configuration
    self.get = get
    self.set = set
    removeName = remove
    breaker = Mutex(CircuitBreaker(configuration.breaker))
  }

  /// The counts of entries so far, and whether the client is called. Its calls, their times and their errors are not among them.
  public var statistics: SharedStoreStatistics {
    let state = breaker.withLock { $0.state }
    return counts.statistics(nodes: [
      SharedStoreNodeStatistics(name: name, state: state, counts: .init(), lastError: nil)
    ])
  }

  // MARK: The level

  /// Whether the client would be called. Does not say whether it has the key.
  public func mayContain(_ key: ImageStoreKey) -> Bool {
    let now = configuration.now()
    return keeps(key.kind) && breaker.withLock { $0.isPermitting(at: now) }
  }

  /// The entry of a key. Blocks, at most for the deadline, and as long again if a damaged entry is removed.
  ///
  /// - Throws: `Failure`.
  public func read(_ key: ImageStoreKey) throws -> ImageStoreEntry? {
    guard keeps(key.kind) else { return nil }
    var entry: ImageStoreEntry?
    // A client that fails or is not called counts as a miss too.
    defer { if entry == nil { counts.count(\.misses) } else { counts.count(\.hits) } }
    entry = try peek(key)
    return entry
  }

  /// The same without counting as a hit or a miss: a write of an original asks whether there are others first.
  ///
  /// - Throws: `Failure`.
  public func peek(_ key: ImageStoreKey) throws -> ImageStoreEntry? {
    guard keeps(key.kind) else { return nil }
    let place = place(of: key)
    guard let data = try wait({ [get] in try await get(place) }) else { return nil }
    let entry = SharedEntry.decode(data, for: key, by: configuration.authenticationKey)
    if entry == nil {
      counts.count(\.damaged)
      try? remove(key)
    }
    return entry
  }

  /// Stores an entry. Blocks, at most for the deadline.
  ///
  /// - Throws: `Failure`.
  public func write(_ entry: ImageStoreEntry, for key: ImageStoreKey) throws {
    guard keeps(key.kind) else { return }
    let place = place(of: key)
    let data = SharedEntry.encode(entry, for: key, by: configuration.authenticationKey)
    try wait { [set] in try await set(place, data) }
    counts.count(\.writes)
  }

  /// Does nothing: the client has no function for it, and to get a value for each use would cost more than it is worth.
  ///
  /// - Returns: whether there may be an entry.
  public func touch(_ key: ImageStoreKey) -> Bool { mayContain(key) }

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

  private func keeps(_ kind: ImageStoreKind) -> Bool {
    kind.isShared(keepingOriginals: configuration.keepsOriginals)
  }

  private func place(of key: ImageStoreKey) -> String {
    "\(configuration.keyPrefix)\(key.kind.identifier):\(key.key)"
  }

  private func wait<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws(Failure)
    -> Value
  {
    let start = configuration.now()
    guard let permit = breaker.withLock({ $0.permit(at: start) }) else { throw .circuitOpen }
    let answer = BlockingAnswer<Result<Value, Failure>>()
    // The caller is a thread of the pipeline, which may block; the client runs on the cooperative pool.
    let task = Task.detached {
      do { answer.set(.success(try await work())) } catch { answer.set(.failure(.client("\(error)"))) }
    }
    let result = answer.wait(atMost: configuration.deadline) ?? .failure(.timedOut(configuration.deadline))
    let end = configuration.now()
    switch result {
    case .success: breaker.withLock { $0.succeed(permit) }
    case .failure:
      task.cancel()
      breaker.withLock { $0.fail(permit, at: end) }
    }
    return try result.get()
  }
}
