import OzuHTTP

/// How a request uses the caches.
///
/// What comes from the web is kept as HTTP has it (RFC 9111): fresh pictures are served, stale ones are validated
/// first. `ImageRequest.httpPolicy` or the pipeline's configuration says otherwise where that is wanted.
public enum CachePolicy: Hashable, Sendable {
  /// Takes what the caches have, validates it when it is stale, and stores what is loaded. The default.
  case useCaches
  /// Loads from the source whatever the caches have, and stores the result over it. Also asks where an earlier
  /// failure is still remembered.
  case reload
  /// Takes what the caches have, however stale; never goes to the network. A miss is `ImageError.notCached`.
  case cacheOnly
  /// Neither reads nor writes any cache.
  case bypass

  var readsCaches: Bool { self == .useCaches || self == .cacheOnly }
  var writesCaches: Bool { self != .bypass }

  /// The same in the words of HTTP.
  var httpMode: HTTPCacheMode {
    switch self {
    case .useCaches: .default
    case .reload: .reload
    case .cacheOnly: .onlyIfCached
    case .bypass: .noStore
    }
  }
}
