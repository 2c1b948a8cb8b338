import OzuHTTP
import OzuTesting

@testable import Ozu

/// The settings of the pipeline of a run: those by which it may take another way to the same answers.
struct OracleSettings: Sendable, CustomStringConvertible {
  var sharesWork = true
  var derives = true
  /// The limit of the memory cache, in bytes; `nil` for the usual one.
  var memoryLimit: Int?
  var storagePolicy = StoragePolicy.automatic
  var isResumable = true
  /// Whether there is a further store, and whether there is a disk cache.
  var hasStore = false
  var hasDisk = true
  var makesPreviews = false
  /// The treatment of colours of requests that have none of their own.
  var colorPolicy = ColorPolicy.convertToSRGB
  /// Whether keys leave out the tokens of addresses.
  var hasKeyRules = false
  /// Whether loads go through an interceptor.
  var isIntercepted = false

  /// Half of the seeds have the usual settings.
  init(seed: UInt64) {
    guard seed % 2 == 1 else { return }
    var random = SeededGenerator(seed: ~seed)
    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    sharesWork = !chance(20)
    derives = !chance(20)
    if chance(30) { memoryLimit = [0, 8000, 40_000].randomElement(using: &random) }
    if chance(40), let policy = StoragePolicy.allCases.randomElement(using: &random) {
      storagePolicy = policy
    }
    isResumable = !chance(20)
    hasStore = chance(30)
    hasDisk = !hasStore || !chance(20)
    makesPreviews = chance(30)
    // From a generator of their own, so that the rest of a seed is what it was.
    random = SeededGenerator(seed: ~(seed &+ 1 << 32))
    if chance(30) { colorPolicy = [.keep, .keepForFile, .keepProfile].randomElement(using: &random)! }
    hasKeyRules = chance(25)
    isIntercepted = chance(12)
  }

  func apply(to configuration: inout ImagePipeline.Configuration, _ store: MemoryImageStore) {
    configuration.decoding.isProgressiveDecodingEnabled = makesPreviews
    if hasStore { configuration.caching.stores = [store] }
    if !hasDisk { configuration.caching.diskStorage = .none }
    configuration.decoding.colorPolicy = colorPolicy
    if hasKeyRules {
      configuration.caching.cacheKeyRules = [CacheKeyRule(host: "*.example", droppingQueryItems: ["token"])]
    }
    if isIntercepted { configuration.interceptors = [OraclePassage()] }
    configuration.decoding.limits = OraclePipeline.limits
    configuration.network.isRateLimiterEnabled = false
    configuration.network.isResumableDataEnabled = isResumable
    configuration.isCoalescingEnabled = sharesWork
    configuration.caching.isDerivationEnabled = derives
    configuration.caching.storagePolicy = storagePolicy
    if let memoryLimit {
      configuration.caching.memoryCache = MemoryCacheConfiguration(
        costLimit: memoryLimit, maximumEntryFraction: 0.5)
    }
    // Without losses, so that a picture from the disk is the one that was made.
    configuration.caching.renditionEncoding = { picture, _ in
      let isPlain = picture.bitmap.format == .bgra8 && picture.bitmap.colorSpace == .sRGB
      return RenditionEncoding(isPlain ? .ozuDelta : .png)
    }
  }

  var description: String {
    var parts: [String] = []
    if !sharesWork { parts.append("no sharing") }
    if !derives { parts.append("no deriving") }
    if let memoryLimit { parts.append("memory of \(memoryLimit) bytes") }
    if storagePolicy != .automatic { parts.append("stores \(storagePolicy.rawValue)") }
    if makesPreviews { parts.append("previews") }
    if !isResumable { parts.append("no resuming") }
    if hasStore { parts.append(hasDisk ? "a further store" : "a store instead of the disk") }
    if colorPolicy != .convertToSRGB { parts.append("colours \(colorPolicy)") }
    if hasKeyRules { parts.append("key rules") }
    if isIntercepted { parts.append("an interceptor") }
    return parts.isEmpty ? "usual settings" : parts.joined(separator: ", ")
  }
}

/// Passes on every request, with another priority.
private struct OraclePassage: ImageInterceptor {
  func intercept(
    _ request: ImageRequest, next: ImageLoadChain<ImageResponse>
  ) async throws(ImageError) -> ImageResponse {
    try await next.load(request.with { $0.priority = .high })
  }
}
