/// How a request uses the caches.
public enum CachePolicy: Hashable, Sendable {
  /// Takes what the caches have and stores what is loaded. The default.
  case useCaches
  /// Loads from the source whatever the caches have, and stores the result over it.
  case reload
  /// Takes what the caches have; never goes to the network. A miss is `ImageError.notCached`.
  case cacheOnly
  /// Neither reads nor writes any cache.
  case bypass

  var readsCaches: Bool { self == .useCaches || self == .cacheOnly }
  var writesCaches: Bool { self != .bypass }
}
