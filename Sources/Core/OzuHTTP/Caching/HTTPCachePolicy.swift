/// The rules of an HTTP cache (RFC 9111, RFC 5861), private or shared, as pure functions over values.
///
/// ```swift
/// let policy = HTTPCachePolicy()
/// let decision = policy.decide(stored: responses, request: request, now: Date())
/// print(decision.reason)  // "fresh for 3h"
/// ```
///
/// The rules read no clock, disk or network; `HTTPCache` carries them out. A private cache belongs to one user: it
/// ignores `s-maxage`, `proxy-revalidate` and `private`. It stores answers to requests with credentials under a key
/// with these credentials (`HTTPCacheKey`). A shared cache (`isShared`) serves many users.
public struct HTTPCachePolicy: Sendable, Hashable {
  /// The party that decides how long a response is fresh.
  public enum Lifetimes: Sendable, Hashable {
    /// The origin, by the rules of the RFC.
    case fromOrigin
    /// The app: every successful response is fresh for this long after it arrived. The origin's lifetimes and its
    /// demands for validation are ignored. `no-store` still applies.
    case ignoring(lifetime: Duration)
  }

  /// Whether the cache serves more than one user, like the cache of a server. Default: false.
  ///
  /// A shared cache does not store `private` responses, even if `private` names only some fields (§5.2.2.7). It
  /// stores answers to requests with `Authorization` only if the origin allows it (§3.5). It prefers `s-maxage` to
  /// `max-age` (§5.2.2.10), and serves no stale response with `s-maxage` or `proxy-revalidate` (§5.2.2.8).
  public var isShared = false
  /// The party that decides how long a response is fresh. Default: the origin.
  public var lifetimes = Lifetimes.fromOrigin
  /// The fraction of the time since its last change for which a response without a lifetime is fresh (§4.2.2).
  /// Default: 0.1.
  public var heuristicFraction = 0.1
  /// The longest heuristic lifetime. Default: 24 hours.
  public var maximumHeuristicLifetime = Duration.seconds(24 * 3600)
  /// The lifetime of a response that states neither a lifetime nor the date of its last change.
  ///
  /// Default: zero, such a response is stale at once. §4.2.2 leaves the heuristic to the cache if the origin gives
  /// no expiry. So a cache of resources that rarely change, such as pictures, may set more.
  /// `maximumHeuristicLifetime` limits it.
  public var defaultLifetime = Duration.zero
  /// The longest heuristic lifetime of the answers 404 and 410. Default: 60 seconds.
  public var maximumNegativeLifetime = Duration.seconds(60)
  /// Whether answers with a status of 500 or higher are stored if the origin gives them a lifetime, as §3 allows.
  /// Default: false, because such an answer describes the state of the server and not the resource. They never get
  /// a heuristic lifetime.
  public var storesServerErrors = false
  /// Whether a stale response is served when the origin cannot be reached, as §4.2.4 allows. Not if the response or
  /// the request forbids it. Default: true.
  public var servesStaleWhenDisconnected = true

  /// Makes the default rules.
  public init() {}

  /// The default rules, plus everything else that the RFC allows to be stored: server errors with a lifetime.
  public static let standard: HTTPCachePolicy = {
    var policy = HTTPCachePolicy()
    policy.storesServerErrors = true
    return policy
  }()

  /// Rules for an aggressive cache: every response is fresh for `lifetime`.
  public static func ignoring(lifetime: Duration) -> HTTPCachePolicy {
    var policy = HTTPCachePolicy()
    policy.lifetimes = .ignoring(lifetime: lifetime)
    return policy
  }
}

/// How a request uses the cache: the modes of the Fetch standard (§2.2.5, "cache mode").
public enum HTTPCacheMode: String, Sendable, Hashable, CaseIterable {
  /// Serves fresh responses, validates stale ones, and fetches and stores all others.
  case `default`
  /// Neither reads nor writes the cache.
  case noStore = "no-store"
  /// Asks the origin without reading the cache, and stores the answer.
  case reload
  /// Validates stored responses even if they are fresh, and stores the answer.
  case noCache = "no-cache"
  /// Serves stored responses however stale they are, and fetches and stores all others.
  case forceCache = "force-cache"
  /// Serves stored responses however stale they are. If there is none the answer is 504, and nothing is sent.
  case onlyIfCached = "only-if-cached"
}
