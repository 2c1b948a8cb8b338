import OzuHTTP

/// How a request uses the caches.
///
/// Pictures from the web follow the caching rules of HTTP (RFC 9111): fresh ones are served, stale ones are
/// revalidated first. `ImageRequest.httpPolicy` and the configuration of the pipeline can change these rules.
public enum CachePolicy: Hashable, Sendable {
  /// Uses the caches, revalidates stale entries, and stores the result. The default.
  case useCaches
  /// Loads from the source without reading the caches, and stores the result. Also ignores a remembered failure.
  case reload
  /// Uses the caches only, even if an entry is stale; never uses the network. A miss is `ImageError.notCached`.
  case cacheOnly
  /// Neither reads nor writes any cache.
  case bypass

  var readsCaches: Bool { self == .useCaches || self == .cacheOnly }
  var writesCaches: Bool { self != .bypass }

  /// The corresponding mode of the HTTP cache.
  var httpMode: HTTPCacheMode {
    switch self {
    case .useCaches: .default
    case .reload: .reload
    case .cacheOnly: .onlyIfCached
    case .bypass: .noStore
    }
  }
}
