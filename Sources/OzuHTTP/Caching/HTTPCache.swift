import OzuSynchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A private HTTP cache in front of a client: performs requests by the rules of `HTTPCachePolicy`.
///
/// ```swift
/// let cache = HTTPCache(client: DefaultHTTPClient.shared, storage: InMemoryHTTPCacheStorage())
/// let answer = try await cache.response(for: HTTPRequest(url: url))
/// print(answer.decision)  // "revalidated (stale for 2m, revalidated by ETag)"
/// ```
///
/// It follows redirects itself, so that each hop is judged by its own fields: an answer is fresh no longer than the
/// redirects that led to it. A transfer that breaks off is resumed by the next request if its bytes can be relied
/// on. Equal requests at the same time are not joined; whoever calls sees to that.
///
/// The decisions are pure functions; this class only carries them out. Its lock guards the background
/// validations and the retry budget, and is never held while anything runs.
public final class HTTPCache: Sendable {
  /// When responses are put into the storage.
  public enum Storing: Sendable, Hashable {
    /// As soon as they are there.
    case atOnce
    /// By the caller, who wants to look at them first: see `HTTPCachedResponse.unstored`.
    case byCaller
  }

  private struct State {
    var validating: Set<HTTPCacheKey> = []
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// In tenths of a retry.
    var retryBudget: Int
  }

  /// The settings.
  public let configuration: HTTPCacheConfiguration
  let client: any HTTPClient
  let storage: any HTTPCacheStorage
  /// Where large bodies go while they come; nil where none is too large for memory.
  let spool: HTTPBodySpool?
  private let state: Mutex<State>

  /// Makes a cache.
  public init(
    client: any HTTPClient, storage: any HTTPCacheStorage,
    configuration: HTTPCacheConfiguration = HTTPCacheConfiguration()
  ) {
    self.client = client
    self.storage = storage
    self.configuration = configuration
    let spooling = configuration.spooling
    spool =
      spooling.threshold == .max
      ? nil
      : HTTPBodySpool(threshold: spooling.threshold) { spooling.directory ?? storage.spoolDirectory }
    state = Mutex(State(retryBudget: configuration.retryPolicy.budget * 10))
  }

  /// The answer to a request, from the storage, from the origin, or from both.
  ///
  /// - Parameters:
  ///   - mode: how the storage is used.
  ///   - resource: what stands for the URL in the key.
  ///   - policy: the rules for this request; by default those of the configuration.
  ///   - storing: who puts a new response into the storage.
  ///   - onProgress: told of the bytes of a success while they come.
  /// - Throws: `HTTPError` when the origin could not answer and nothing stored may stand in for it.
  public func response(
    for request: HTTPRequest, mode: HTTPCacheMode = .default, resource: String? = nil,
    policy: HTTPCachePolicy? = nil, storing: Storing = .atOnce,
    onProgress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)? = nil
  ) async throws(HTTPError) -> HTTPCachedResponse {
    let exchange = try exchange(
      for: request, mode: mode, resource: resource, policy: policy, storing: storing, onProgress: onProgress)
    return try await exchange.run()
  }

  /// The same in parts, for a caller that reads the storage by itself and bounds its exchanges.
  ///
  /// - Throws: for a request that no origin can be asked.
  package func exchange(
    for request: HTTPRequest, mode: HTTPCacheMode, resource: String?, policy: HTTPCachePolicy?,
    storing: Storing, onProgress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)? = nil
  ) throws(HTTPError) -> HTTPCacheExchange {
    _ = try request.validatedOrigin()
    return HTTPCacheExchange(
      cache: self, request: request, mode: mode,
      key: HTTPCacheKey(request, resource: resource, rules: configuration.keyRules),
      policy: policy ?? configuration.policy, storing: storing, onProgress: onProgress,
      client: client)
  }

  /// Stores what a caller has looked at.
  public func store(_ entry: HTTPCacheEntry, for request: HTTPRequest, resource: String? = nil) async {
    await storage.store(
      entry, replacing: nil,
      for: HTTPCacheKey(request, resource: resource, rules: configuration.keyRules))
  }

  /// What a request now would do, without doing it, and what is stored for it.
  public func explain(
    _ request: HTTPRequest, mode: HTTPCacheMode = .default, resource: String? = nil
  ) async -> (decision: HTTPCacheDecision, stored: [HTTPStoredResponse]) {
    let key = HTTPCacheKey(request, resource: resource, rules: configuration.keyRules)
    let stored = await storage.entries(for: key).map(\.response)
    let decision = configuration.policy.decide(
      stored: stored, request: request, mode: mode, now: configuration.currentDate())
    return (decision, stored)
  }

  /// Returns when no validation runs behind anybody's back.
  public func backgroundValidations() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.validating.isEmpty { return true }
        state.waiters.append(continuation)
        return false
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Runs a validation behind the caller's back, unless one of the same key runs already.
  package func validateInBackground(
    _ key: HTTPCacheKey, _ validate: @escaping @Sendable () async -> Void
  ) {
    guard state.withLock({ $0.validating.insert(key).inserted }) else { return }
    Task.detached(priority: .utility) {
      await validate()
      let waiters = self.state.withLock { state in
        state.validating.remove(key)
        guard state.validating.isEmpty else { return [CheckedContinuation<Void, Never>]() }
        defer { state.waiters = [] }
        return state.waiters
      }
      for waiter in waiters { waiter.resume() }
    }
  }

  /// Takes a retry from the budget; false when it is used up.
  func takeRetry() -> Bool {
    state.withLock { state in
      guard state.retryBudget >= 10 else { return false }
      state.retryBudget -= 10
      return true
    }
  }

  /// Gives a tenth of a retry back.
  func noteSuccess() {
    let limit = configuration.retryPolicy.budget * 10
    state.withLock { $0.retryBudget = min(limit, $0.retryBudget + 1) }
  }
}
