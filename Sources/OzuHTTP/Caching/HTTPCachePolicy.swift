/// The rules of an HTTP cache (RFC 9111, RFC 5861), private or shared, as pure functions over values.
///
/// ```swift
/// let policy = HTTPCachePolicy()
/// let decision = policy.decide(stored: responses, request: request, now: Date())
/// print(decision.reason)  // "fresh for 3h"
/// ```
///
/// Nothing here reads a clock, a disk or a network; `HTTPCache` carries out what it says. A private cache belongs
/// to one user: it ignores `s-maxage`, `proxy-revalidate` and `private`, and keeps answers to requests with
/// credentials, in a partition of their own (`HTTPCacheKey`). A shared one (`isShared`) serves many.
public struct HTTPCachePolicy: Sendable, Hashable {
  /// Who says how long a response is fresh.
  public enum Lifetimes: Sendable, Hashable {
    /// The origin, as the RFC has it.
    case fromOrigin
    /// The app: every success is fresh for so long from when it came, whatever the origin says of lifetimes and
    /// of validation. `no-store` is still honoured.
    case ignoring(lifetime: Duration)
  }

  /// Whether the cache serves more than one user, as that of a server does. Off by default.
  ///
  /// A shared cache stores nothing that is `private`, whichever fields that names (§5.2.2.7), and answers to requests with
  /// `Authorization` only where the origin says so (§3.5). It goes by `s-maxage` before `max-age` (§5.2.2.10), and serves
  /// nothing stale that has `s-maxage` or `proxy-revalidate` (§5.2.2.8).
  public var isShared = false
  /// Who says how long a response is fresh. The origin, by default.
  public var lifetimes = Lifetimes.fromOrigin
  /// Which part of the time since its last change a response without lifetime is fresh for (§4.2.2). 0.1.
  public var heuristicFraction = 0.1
  /// The longest lifetime that is guessed. 24 hours.
  public var maximumHeuristicLifetime = Duration.seconds(24 * 3600)
  /// The lifetime of a response that says neither how long it is fresh nor when it last changed.
  ///
  /// Zero by default: such a response is stale at once. §4.2.2 leaves the algorithm of the guess to the cache
  /// where the origin gives no expiry, so a cache of things that hardly change, such as pictures, may set more;
  /// `maximumHeuristicLifetime` bounds it.
  public var defaultLifetime = Duration.zero
  /// The longest guessed lifetime of an answer that says there is nothing (404, 410). 60 seconds.
  public var maximumNegativeLifetime = Duration.seconds(60)
  /// Whether answers with a status of 500 and more are kept when the origin gives them a lifetime, as §3 allows. Never,
  /// by default: such an answer says something of the server's state and nothing of the resource. They never get a
  /// guessed lifetime.
  public var storesServerErrors = false
  /// Whether a stale response is served when the origin cannot be reached, as §4.2.4 allows, unless the response
  /// or the request forbids it.
  public var servesStaleWhenDisconnected = true

  /// Makes the default rules.
  public init() {}

  /// The default rules, and all that the RFC allows to be kept besides: errors of the server that have a lifetime.
  public static let standard: HTTPCachePolicy = {
    var policy = HTTPCachePolicy()
    policy.storesServerErrors = true
    return policy
  }()

  /// Rules for an aggressive cache: whatever was loaded is fresh for so long.
  public static func ignoring(lifetime: Duration) -> HTTPCachePolicy {
    var policy = HTTPCachePolicy()
    policy.lifetimes = .ignoring(lifetime: lifetime)
    return policy
  }
}

/// How a request uses the cache; the modes of the Fetch standard (§2.2.5, "cache mode").
public enum HTTPCacheMode: String, Sendable, Hashable, CaseIterable {
  /// What is fresh is served, what is stale is validated, the rest is fetched and stored.
  case `default`
  /// The cache is neither read nor written.
  case noStore = "no-store"
  /// The origin is asked without looking at the cache, and the answer is stored.
  case reload
  /// What is stored is validated, even while it is fresh; the answer is stored.
  case noCache = "no-cache"
  /// What is stored is served, however stale; the rest is fetched and stored.
  case forceCache = "force-cache"
  /// What is stored is served, however stale; without it the answer is 504, and nothing is sent.
  case onlyIfCached = "only-if-cached"
}
