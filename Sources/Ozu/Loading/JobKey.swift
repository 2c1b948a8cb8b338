import OzuHTTP

/// What must agree for work to be shared: a load with caches must not be answered by one without.
struct JobKey: Hashable, Sendable {
  private enum Kind: Hashable {
    case load
    case fetch
    case header
    case encoding
    case step
    case store
  }

  let key: CacheKey
  private var rules: Rules?
  /// Of steps: what the first of them starts from, which is alive as long as the job.
  private var origin: ObjectIdentifier?
  /// Not zero where work is not shared.
  private var number = 0
  // What takes a byte stands at the end: thousands of keys are in the tables of those who wait.
  private let kind: Kind
  private var policy = CachePolicy.useCaches
  /// Whether it is called off where data are to be saved.
  private var hasLowDataSource = false
  /// Of loads, which write what they have made; a download is the same for all.
  private var storagePolicy: StoragePolicy?
  /// Which caches are read and written.
  private var layers: UInt8 = 0

  /// HTTP rules of a request's own, and the formats that it accepts. An object, because they are large and rare.
  private final class Rules: Hashable, Sendable {
    let policy: HTTPCachePolicy?
    let acceptance: ImageAcceptance?

    private init(_ policy: HTTPCachePolicy?, _ acceptance: ImageAcceptance?) {
      (self.policy, self.acceptance) = (policy, acceptance)
    }

    /// `nil` where a request has none. An initialiser that fails would take an object first.
    static func of(_ request: ImageRequest) -> Rules? {
      if request.httpPolicy == nil, request.ownAcceptance == nil { return nil }
      return Rules(request.httpPolicy, request.ownAcceptance)
    }

    static func == (a: Rules, b: Rules) -> Bool { a.policy == b.policy && a.acceptance == b.acceptance }

    func hash(into hasher: inout Hasher) {
      hasher.combine(policy)
      hasher.combine(acceptance)
    }
  }

  private init(_ kind: Kind, _ key: CacheKey, of request: ImageRequest, number: Int) {
    self.kind = kind
    self.key = key
    self.number = number
    policy = request.cachePolicy
    rules = Rules.of(request)
    hasLowDataSource = request.hasLowDataSource
    layers = request.readLayers.rawValue << 4 | request.writeLayers.rawValue
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
    return key
  }

  /// The key of a download.
  static func fetch(_ request: ImageRequest, number: Int) -> JobKey {
    var key = JobKey(.fetch, request.key.source, of: request, number: number)
    // Bytes are in no other layer.
    key.layers &= ImagePipeline.CacheLayers.originals.rawValue * 0x11
    return key
  }

  /// The key of the work for an encoded image.
  static func encoding(_ goal: EncodingGoal, number: Int) -> JobKey {
    var key = JobKey(.encoding, goal.key, of: goal.request, number: number)
    key.storagePolicy = goal.request.storagePolicy
    return key
  }

  /// The key of a download that ends with the header.
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

  /// By the key alone, which is a hash already: who differs in the rest is rare. Of the whole picture of a source and of
  /// its bytes one half of the key is the same.
  var hashValue: Int { Int(truncatingIfNeeded: key.high ^ key.low) ^ number }

  func hash(into hasher: inout Hasher) { hasher.combine(hashValue) }
}
