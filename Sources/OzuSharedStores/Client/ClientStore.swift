public import Foundation
public import Ozu
import OzuSynchronization

/// A level of storage over a client that a service has already: three asynchronous functions that get, set and remove bytes
/// under a name.
///
/// ```swift
/// let store = ClientStore(
///   name: "valkey",
///   get: { name in try await client.get(ValkeyKey(name)).map { Data(ByteBuffer($0).readableBytesView) } },
///   set: { name, data in try await client.set(ValkeyKey(name), value: data, expiration: .seconds(604_800)) },
///   remove: { name in try await client.unlink(keys: [ValkeyKey(name)]) })
/// ```
///
/// It does what `RedisStore` and `S3Store` do around it: entries carry their key, length and checksums, and what does not fit
/// is a miss and is removed; no call is waited for longer than a deadline; a client that fails several times in a row is left
/// alone for a while. A call that is too late is cancelled.
///
/// One lock guards the breaker and the counts. Nothing of the client's is called under it.
public final class ClientStore: ImageStoring {
  /// Why a call of a client came to nothing.
  public enum Failure: Error, Hashable, Sendable {
    /// No answer within this time.
    case timedOut(Duration)
    /// It failed lately, and is left alone.
    case leftAlone
    /// The client threw: what it said.
    case client(String)
    /// A client of three functions cannot say which names it has.
    case cannotRemoveAll
  }

  /// What the store is called in messages.
  public let name: String
  /// What all names begin with. `ozu:`.
  public let keyPrefix: String
  /// How long a call may take.
  public let deadline: Duration
  private let keepsOriginals: Bool
  private let get: @Sendable (String) async throws -> Data?
  private let set: @Sendable (String, Data) async throws -> Void
  private let removeName: @Sendable (String) async throws -> Void
  private let now: @Sendable () -> ContinuousClock.Instant
  private let breaker: Mutex<CircuitBreaker>
  private let counts = SharedStoreCounts()

  /// Makes a level.
  ///
  /// - Parameters:
  ///   - name: for messages.
  ///   - keyPrefix: what all names begin with: `ozu:` by default.
  ///   - deadline: how long a call may take: 300 milliseconds by default.
  ///   - keepsOriginals: whether files as they came are kept too. On by default.
  ///   - breakerPolicy: when the client is left alone.
  ///   - get: the bytes under a name; `nil` for none.
  ///   - set: keeps bytes under a name.
  ///   - remove: removes a name, whether it is there or not.
  public convenience init(
    name: String, keyPrefix: String = "ozu:", deadline: Duration = .milliseconds(300),
    keepsOriginals: Bool = true, breakerPolicy: SharedStoreBreakerPolicy = SharedStoreBreakerPolicy(),
    get: @escaping @Sendable (String) async throws -> Data?,
    set: @escaping @Sendable (String, Data) async throws -> Void,
    remove: @escaping @Sendable (String) async throws -> Void
  ) {
    self.init(
      name: name, keyPrefix: keyPrefix, deadline: deadline, keepsOriginals: keepsOriginals,
      breakerPolicy: breakerPolicy, now: { ContinuousClock.now }, get: get, set: set, remove: remove)
  }

  init(
    name: String, keyPrefix: String, deadline: Duration, keepsOriginals: Bool,
    breakerPolicy: SharedStoreBreakerPolicy, now: @escaping @Sendable () -> ContinuousClock.Instant,
    get: @escaping @Sendable (String) async throws -> Data?,
    set: @escaping @Sendable (String, Data) async throws -> Void,
    remove: @escaping @Sendable (String) async throws -> Void
  ) {
    self.name = name
    self.keyPrefix = keyPrefix
    self.deadline = deadline
    self.keepsOriginals = keepsOriginals
    self.get = get
    self.set = set
    removeName = remove
    self.now = now
    breaker = Mutex(CircuitBreaker(breakerPolicy))
  }

  /// What it did so far, and whether the client is asked.
  public var statistics: SharedStoreStatistics {
    let state = breaker.withLock { $0.state }
    return counts.statistics(nodes: [
      SharedStoreNodeStatistics(name: name, state: state, counts: .init(), lastError: nil)
    ])
  }

  // MARK: The level

  /// Whether the client is asked at all.
  public func mayContain(_ key: ImageStoreKey) -> Bool {
    let now = now()
    return keeps(key.kind) && breaker.withLock { $0.isPermitting(at: now) }
  }

  /// The entry of a key. Blocks, for the deadline at most.
  ///
  /// - Throws: `Failure`.
  public func read(_ key: ImageStoreKey) throws -> ImageStoreEntry? {
    guard keeps(key.kind) else { return nil }
    let place = place(of: key)
    guard let data = try wait({ [get] in try await get(place) }) else {
      counts.count(\.misses)
      return nil
    }
    guard let entry = SharedEntry.decode(data, for: key) else {
      counts.count(\.damaged)
      counts.count(\.misses)
      try? remove(key)
      return nil
    }
    counts.count(\.hits)
    return entry
  }

  /// Keeps an entry. Blocks, for the deadline at most.
  ///
  /// - Throws: `Failure`.
  public func write(_ entry: ImageStoreEntry, for key: ImageStoreKey) throws {
    guard keeps(key.kind) else { return }
    let (place, data) = (place(of: key), SharedEntry.encode(entry, for: key))
    try wait { [set] in try await set(place, data) }
    counts.count(\.writes)
  }

  /// Removes an entry. Blocks, for the deadline at most.
  ///
  /// - Throws: `Failure`.
  public func remove(_ key: ImageStoreKey) throws {
    guard keeps(key.kind) else { return }
    let place = place(of: key)
    try wait { [removeName] in try await removeName(place) }
  }

  /// Cannot be done.
  ///
  /// - Throws: `Failure.cannotRemoveAll`.
  public func removeAll(of kind: ImageStoreKind) throws { throw Failure.cannotRemoveAll }

  /// Cannot be done.
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
    guard let permit = breaker.withLock({ $0.permit(at: start) }) else { throw .leftAlone }
    let answer = BlockingAnswer<Result<Value, Failure>>()
    // The caller is a thread of the pipeline's, which may wait; the client has the cooperative pool.
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
