import OzuHTTP

extension ImagePipeline.Configuration {
  /// The settings of the pipeline's HTTP cache.
  package var httpCache: HTTPCacheConfiguration {
    var settings = HTTPCacheConfiguration()
    settings.policy = caching.httpPolicy
    settings.retryPolicy = network.retryPolicy
    settings.keepsErrorBodies = false
    settings.spooling.threshold = network.largeBodyByteCount
    settings.preparation = network.requestPreparation
    settings.errorText = { $0.oneLine }
    settings.currentDate = testing.currentDate
    settings.now = testing.now
    settings.sleep = testing.sleep
    if !network.isResumableDataEnabled { settings.minimumPartialByteCount = .max }
    if case .none = caching.diskStorage, let directory = network.largeBodyDirectory {
      settings.spooling.directory = directory
      // The beginning of a body is not kept for a later process, which would not look in this folder.
      settings.minimumPartialByteCount = .max
    }
    return settings
  }
}

extension HTTPCachePolicy {
  /// The rules for pictures: those of the RFC, and an hour for an answer without a lifetime or a date of change.
  ///
  /// The RFC lets the cache choose such a lifetime (§4.2.2). Without one, a picture from a server that
  /// sends no cache fields would be fetched again for every view that shows it.
  public static let images: HTTPCachePolicy = {
    var policy = HTTPCachePolicy()
    policy.defaultLifetime = .seconds(3600)
    return policy
  }()
}

extension HTTPTimeouts {
  /// The limits for pictures: the default ones, and 100 bytes a second on average over 30 seconds.
  ///
  /// A download that is slower fails after these 30 seconds and is not tried again. The slowest mobile networks are ten
  /// times as fast.
  public static let images = HTTPTimeouts(
    minimumSpeed: HTTPMinimumSpeed(bytesPerSecond: 100, window: .seconds(30)))
}
