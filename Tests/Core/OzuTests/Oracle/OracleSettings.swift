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
  }

  func apply(to configuration: inout ImagePipeline.Configuration, _ store: MemoryImageStore) {
    configuration.decoding.isProgressiveDecodingEnabled = makesPreviews
    if hasStore { configuration.caching.stores = [store] }
    if !hasDisk { configuration.caching.diskStorage = .none }
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
    return parts.isEmpty ? "usual settings" : parts.joined(separator: ", ")
  }
}
