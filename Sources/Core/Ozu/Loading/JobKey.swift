import OzuHTTP

/// The properties that must be equal for work to be shared: a load that uses caches must not be answered by one that
/// does not.
struct JobKey: Hashable, Sendable {
  private enum Kind: Hashable {
    case load
    case fetch
    case header
    case encoding
    case step
    case store
  }

  /// A request's own HTTP rules, the formats that it accepts, and the limits of its download. Indirect, because they are large and
  /// rare: a key takes 48 bytes, and 152 with the first two inside. A table of 10,000 keys then takes 1.6 to 2.2 times as long to
  /// fill and empty.
  private indirect enum Rules: Hashable {
    case own(HTTPCachePolicy?, ImageAcceptance?, DownloadLimits?)
  }

  let key: CacheKey
  private var rules: Rules?
  /// For steps: the origin of the chain, which is alive as long as the job.
  private var origin: ObjectIdentifier?
  /// Positive if the work is not shared, negative if it is shared in one cache format only.
  private var number = 0
  private let kind: Kind
  private var policy = CachePolicy.useCaches
  /// Whether the request is cancelled when the network asks to save data.
  private var hasLowDataSource = false
  /// For loads, which write their results; a download is the same for all policies.
  private var storagePolicy: StoragePolicy?
  /// Which caches are read and written.
  private var (readLayers, writeLayers) = (ImagePipeline.CacheLayers(), ImagePipeline.CacheLayers())

  private init(_ kind: Kind, _ key: CacheKey, of request: ImageRequest, number: Int) {
    self.kind = kind
    self.key = key
    self.number = number
    policy = request.cachePolicy
    let (http, acceptance, limits) = (request.httpPolicy, request.ownAcceptance, request.ownLimits)
    if http != nil || acceptance != nil || limits != nil { rules = .own(http, acceptance, limits) }
    hasLowDataSource = request.hasLowDataSource
    (readLayers, writeLayers) = (request.readLayers, request.writeLayers)
  }

  private init(kind: Kind, key: CacheKey, origin: ObjectIdentifier? = nil, number: Int) {
    self.kind = kind
    self.key = key
    self.origin = origin
    self.number = number
  }

  /// The key of a load.
  static func load(_ request: ImageRequest, number: Int) -> JobKey {
    var key = JobKey(.load, request.key.rendition, of: request, number: number)
    key.storagePolicy = request.storagePolicy
    if number == 0 { key.number = request.formatNumber }
    return key
  }

  /// The key of a download.
  static func fetch(_ request: ImageRequest, number: Int) -> JobKey {
    var key = JobKey(.fetch, request.key.source, of: request, number: number)
    // Downloaded bytes concern no other layer.
    key.readLayers.formIntersection(.originals)
    key.writeLayers.formIntersection(.originals)
    return key
  }

  /// The key of the work for an encoded image.
  static func encoding(_ goal: EncodingGoal, number: Int) -> JobKey {
    var key = JobKey(.encoding, goal.key, of: goal.request, number: number)
    key.storagePolicy = goal.request.storagePolicy
    if number == 0 { key.number = goal.request.formatNumber }
    return key
  }

  /// The key of a download that ends after the header.
  static func header(_ request: ImageRequest, number: Int) -> JobKey {
    JobKey(.header, request.key.source, of: request, number: number)
  }

  /// The key of a step, by the recipe up to it.
  static func step(_ recipe: CacheKey, of origin: AnyObject, number: Int) -> JobKey {
    JobKey(kind: .step, key: recipe, origin: ObjectIdentifier(origin), number: number)
  }

  /// The key of a write.
  static func store(_ number: Int) -> JobKey {
    JobKey(kind: .store, key: CacheKey(high: 0, low: 0), number: number)
  }

  /// Hashes only the key, which is already a hash; keys that differ only in the other fields are rare. The two halves
  /// are combined because one half is the same for the bytes of a source and for its picture without a recipe.
  var hashValue: Int { Int(truncatingIfNeeded: key.high ^ key.low) ^ number }

  func hash(into hasher: inout Hasher) { hasher.combine(hashValue) }
}
