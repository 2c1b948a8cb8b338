import OzuBase

/// A private HTTP cache in front of a client: performs requests by the rules of `HTTPCachePolicy`.
///
/// ```swift
/// let cache = HTTPCache(client: DefaultHTTPClient.shared, storage: InMemoryHTTPCacheStorage())
/// let answer = try await cache.response(for: HTTPRequest(url: url))
/// print(answer.decision)  // "revalidated (stale for 2m, revalidated by ETag)"
/// ```
///
/// It follows redirects itself, so that the rules apply to each hop: an answer is fresh no longer than the
/// redirects that led to it. If a transfer breaks off and its bytes are reliable, the next request resumes it.
/// Equal requests at the same time are not joined; the caller does that if needed.
///
/// The storage is asked, and not handed over with the request: a transfer reads and writes it in the middle (the beginning of a
/// body to resume, a head that a 304 confirms, the removal of what an answer contradicts), also after the caller has its answer. A
/// caller that reads what is stored in a queue of its own hands that over: `exchange(for:)` makes a request in parts, of which
/// `plan` is pure.
///
/// Pure functions make the decisions; this class carries them out. Its lock guards the background validations, the counts of
/// invalidations and the retry budget. It is never held during I/O or calls of the app's code.
public final class HTTPCache: Sendable {
  /// The party that stores new responses: the cache or the caller.
  public enum Storing: Sendable, Hashable {
    /// The cache stores each response as soon as it is complete.
    case atOnce
    /// The caller stores the response after it has looked at it: see `HTTPCachedResponse.unstored`.
    case byCaller
  }

  /// The identity of a validation. One that began before a removal stores nothing, so a later one does not join it.
  private struct Validation: Hashable {
    let key: HTTPCacheKey
    let epoch: Int
    let invalidation: Int

    init(_ exchange: HTTPCacheExchange) {
      (key, epoch, invalidation) = (exchange.key, exchange.epoch, exchange.invalidation)
    }
  }

  private struct State {
    var validating: Set<Validation> = []
    /// How often answers to unsafe requests have removed what was stored, by a few bits of the hashes of the keys. Two keys that
    /// share a counter can only keep an answer from being stored.
    var invalidations = [Int](repeating: 0, count: 64)
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// In tenths of a retry.
    var retryBudget: Int
  }

  /// The settings.
  public let configuration: HTTPCacheConfiguration
  let client: any HTTPClient
  let storage: any HTTPCacheStorage
  /// Keeps large bodies in files while they arrive; nil if all bodies stay in memory.
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
      : HTTPBodySpool(threshold: spooling.threshold, memoryByteCount: spooling.sharedMemoryByteCount) {
        spooling.directory ?? storage.spoolDirectory
      }
    state = Mutex(State(retryBudget: configuration.retryPolicy.budget.saturatingProduct(10)))
  }

  /// The answer to a request, from the storage, from the origin, or from both.
  ///
  /// - Parameters:
  ///   - mode: how the storage is used.
  ///   - resource: the name that replaces the URL in the key.
  ///   - policy: the rules for this request; by default those of the configuration.
  ///   - storing: the party that stores a new response.
  ///   - onProgress: called with the number of bytes of a successful response while they arrive.
  /// - Throws: `HTTPError` if the origin could not answer, and no stored response may be served instead.
  public func response(
    for request: HTTPRequest, mode: HTTPCacheMode = .default, resource: String? = nil,
    policy: HTTPCachePolicy? = nil, storing: Storing = .atOnce,
    onProgress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)? = nil
  ) async throws(HTTPError) -> HTTPCachedResponse {
    let exchange = try exchange(
      for: request, mode: mode, resource: resource, policy: policy, storing: storing, onProgress: onProgress)
    return try await exchange.run()
  }

  /// The same in parts, for a caller that reads the storage itself and limits its exchanges.
  ///
  /// - Throws: for a request that cannot be sent to an origin.
  package func exchange(
    for request: HTTPRequest, mode: HTTPCacheMode, resource: String?, policy: HTTPCachePolicy?,
    storing: Storing, onProgress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)? = nil
  ) throws(HTTPError) -> HTTPCacheExchange {
    _ = try request.validatedOrigin()
    let key = HTTPCacheKey(request, resource: resource, rules: configuration.keyRules)
    return HTTPCacheExchange(
      cache: self, request: request, mode: mode, key: key,
      policy: policy ?? configuration.policy, storing: storing, onProgress: onProgress,
      client: client, storage: storage, invalidation: invalidation(of: key))
  }

  /// Stores a response that the caller has looked at.
  public func store(_ entry: HTTPCacheEntry, for request: HTTPRequest, resource: String? = nil) async {
    await storage.store(
      entry, replacing: nil,
      for: HTTPCacheKey(request, resource: resource, rules: configuration.keyRules))
  }

  /// Removes the beginning of a body that a killed process left, for a caller that removes what is stored for a request.
  package func removeLeft(for request: HTTPRequest, resource: String? = nil) async {
    guard let spool, spool.mayHaveLeft else { return }
    let key = HTTPCacheKey(request, resource: resource, rules: configuration.keyRules)
    await spool.takeLeft(for: key)?.remove()
  }

  /// Returns what a request would do now, without sending it, and what is stored for it.
  public func explain(
    _ request: HTTPRequest, mode: HTTPCacheMode = .default, resource: String? = nil
  ) async -> (decision: HTTPCacheDecision, stored: [HTTPStoredResponse]) {
    let key = HTTPCacheKey(request, resource: resource, rules: configuration.keyRules)
    let stored = await storage.entries(for: key).map(\.response)
    let decision = configuration.policy.decide(
      stored: stored, request: request, mode: mode, now: configuration.currentDate())
    return (decision, stored)
  }

  /// Returns when no background validation is running.
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

  /// Runs a validation in the background, unless one for the same key and from after the last removal is running.
  package func validateInBackground(
    _ exchange: HTTPCacheExchange, _ validate: @escaping @Sendable () async -> Void
  ) {
    let validation = Validation(exchange)
    guard state.withLock({ $0.validating.insert(validation).inserted }) else { return }
    Task.detached(priority: .utility) {
      await validate()
      let waiters = self.state.withLock { state in
        state.validating.remove(validation)
        guard state.validating.isEmpty else { return [CheckedContinuation<Void, Never>]() }
        defer { state.waiters = [] }
        return state.waiters
      }
      for waiter in waiters { waiter.resume() }
    }
  }

  /// The address as the cache knows it: in one spelling, and without the parts that its rules drop. Responses are stored with it, so that
  /// a request with another token validates and resumes what is stored.
  func known(_ url: URL) -> URL {
    let text = HTTPCacheKey.text(of: url, rules: configuration.keyRules)
    return text == url.absoluteString ? url : URL(string: text) ?? url
  }

  /// The number of the last invalidation of a key.
  func invalidation(of key: HTTPCacheKey) -> Int {
    state.withLock { $0.invalidations[Self.counter(of: key)] }
  }

  /// Begins an invalidation of a key: what was asked for before is not stored after it.
  func beginInvalidation(of key: HTTPCacheKey) {
    state.withLock { $0.invalidations[Self.counter(of: key)] += 1 }
  }

  private static func counter(of key: HTTPCacheKey) -> Int { key.hashValue & 63 }

  /// Takes a retry from the budget; returns false if the budget is used up.
  func takeRetry() -> Bool {
    state.withLock { state in
      guard state.retryBudget >= 10 else { return false }
      state.retryBudget -= 10
      return true
    }
  }

  /// Gives a tenth of a retry back.
  func noteSuccess() {
    let limit = configuration.retryPolicy.budget.saturatingProduct(10)
    state.withLock { $0.retryBudget = min(limit, $0.retryBudget.saturatingSum(1)) }
  }
}

/// When a failed exchange is retried, and after how long.
///
/// Only temporary failures are retried: connections that fail, break or take too long to be made, and the statuses
/// 408, 429, 502, 503 and 504. An exchange that reached the limit on silence, on speed or on the whole time is not
/// retried: the caller has already waited for a limit. The bytes that arrived are kept for the next request. The
/// wait doubles each time and is random, so that the clients of one origin do not retry at the same time. If the
/// origin names a time, that time is used.
public struct HTTPRetryPolicy: Sendable, Hashable {
  /// How often an exchange is retried. Default: 2.
  public var maximumRetryCount = 2
  /// The longest wait before the first retry; it doubles each time. Default: 0.3 seconds.
  public var baseDelay = Duration.milliseconds(300)
  /// The longest wait. If an origin asks for more, there is no retry. Default: 10 seconds.
  public var maximumDelay = Duration.seconds(10)
  /// The number of retries that all exchanges together may use; every ten successes add one. Default: 10.
  ///
  /// It prevents an origin in trouble from getting three times as many requests as a healthy one.
  public var budget = 10

  /// Makes the default policy.
  public init() {}

  /// The default policy.
  public static let standard = HTTPRetryPolicy()

  /// No retries.
  public static let none: HTTPRetryPolicy = {
    var policy = HTTPRetryPolicy()
    policy.maximumRetryCount = 0
    return policy
  }()

  /// Whether a failure is temporary.
  package func isTransient(_ reason: HTTPError.Reason) -> Bool {
    switch reason {
    case .connectionRefused, .connectionFailed, .connectionLost, .timedOut(.connect), .bodyTruncated,
      .contentCodingTruncated, .proxyFailed:
      true
    default: false
    }
  }

  /// Whether a status is temporary.
  package func isTransient(status: Int) -> Bool {
    [408, 429, 502, 503, 504].contains(status)
  }

  /// The wait before a retry; nil for no retry.
  ///
  /// - Parameters:
  ///   - count: the number of retries so far.
  ///   - retryAfter: the response's `Retry-After` (RFC 9110 §10.2.3), seconds or a date.
  ///   - fraction: a random number from 0 to 1.
  package func delay(
    afterRetries count: Int, retryAfter: String? = nil, fraction: Double, now: Date
  ) -> Duration? {
    guard count < maximumRetryCount else { return nil }
    if let retryAfter {
      let seconds =
        DeltaSeconds.parse(retryAfter).map(Double.init)
        ?? HTTPDate.date(from: retryAfter, now: now)?.timeIntervalSince(now)
      if let seconds {
        let wait = Duration.seconds(min(max(0, seconds), 1e9))
        return wait <= maximumDelay ? wait : nil
      }
    }
    let doubled = baseDelay * (1 << min(count, 16))
    return min(doubled, maximumDelay) * (0.5 + 0.5 * min(max(fraction, 0), 1))
  }
}

/// The key of a stored response (RFC 9111 §2): the URL without its fragment and in one spelling (RFC 3986 §6.2), and the credentials
/// of the request. So two accounts on one device never see each other's answers.
///
/// It contains credentials in clear text. A storage must hash it before it writes it anywhere.
public struct HTTPCacheKey: Sendable, Hashable {
  /// The URL, or the name that replaces it.
  public let resource: String
  /// The credentials of the request; empty for a request without credentials.
  public let partition: String

  /// The key of a request.
  ///
  /// - Parameters:
  ///   - resource: the name that replaces the URL, if any.
  ///   - rules: which parts of the URL are not part of the key.
  public init(_ request: HTTPRequest, resource: String? = nil, rules: [CacheKeyRule] = []) {
    // A redirect that is returned to the caller and the answer that it leads to have different keys.
    let prefix = request.redirectPolicy == .manual ? "manual " : ""
    self.resource = prefix + (resource ?? Self.text(of: request.url, rules: rules))
    partition = HTTPHeaders.credentialNames.compactMap { name in
      request.headers[name].map { "\(name): \($0)" }
    }.joined(separator: "\n")
  }

  /// The keys under which a URL may be stored, with the credentials of a request and without credentials.
  static func all(for url: URL, credentialsOf request: HTTPRequest, rules: [CacheKeyRule]) -> Set<
    HTTPCacheKey
  > {
    var keys: Set<HTTPCacheKey> = []
    for headers in [request.headers, [:]] {
      for redirects in [request.redirectPolicy, .manual, .follow(maximum: 10)] {
        keys.insert(
          HTTPCacheKey(HTTPRequest(url: url, headers: headers, redirectPolicy: redirects), rules: rules))
      }
    }
    return keys
  }

  /// A URL without its fragment and without the parts that rules drop, in one spelling.
  static func text(of url: URL, rules: [CacheKeyRule]) -> String {
    let whole = WebAddress.canonical(url.absoluteString)
    return rules.first { $0.applies(to: url) }?.applied(to: whole) ?? whole
  }
}

/// Names the parts of one host's URLs that do not change the resource, such as the tokens of signed URLs.
///
/// ```swift
/// CacheKeyRule(host: "*.cdn.example.com", droppingQueryItems: ["X-Amz-Signature", "X-Amz-Date", "expires"])
/// ```
public struct CacheKeyRule: Sendable, Hashable {
  /// The host, or `*.example.com` for every host below it.
  public let host: String
  /// The names of the query items to drop. They are compared as they are written in the URL, without decoding.
  public let droppedQueryItems: Set<String>

  /// Makes a rule.
  public init(host: String, droppingQueryItems names: some Sequence<String>) {
    self.host = host.lowercased()
    droppedQueryItems = Set(names)
  }

  package func applies(to url: URL) -> Bool {
    guard let host = url.host()?.lowercased() else { return false }
    return self.host.hasPrefix("*.") ? host.hasSuffix(self.host.dropFirst()) : host == self.host
  }

  /// The text of a URL without the dropped query items.
  package func applied(to text: String) -> String {
    guard let mark = text.firstIndex(of: "?") else { return text }
    let kept = text[text.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
      .filter { item in !droppedQueryItems.contains(String(item.prefix { $0 != "=" })) }
    return kept.isEmpty ? String(text[..<mark]) : text[...mark] + kept.joined(separator: "&")
  }
}
