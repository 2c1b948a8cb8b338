import OzuHTTP

extension ImageRequest {
  /// The keys of the pictures after each of the steps before the last one.
  ///
  /// - Parameter count: the number of these steps; at least one. The request must have processors.
  func recipeKeys(beforeLast count: Int) -> [CacheKey] {
    // Closures have no identity, so steps with hooks are never shared.
    if recipe.hasHooks { return (1...count).map { key.rendition.derived("step \($0)") } }
    return processors.indices.suffix(count).map { prefixKey(processorCount: $0).rendition }
  }

  /// The key of the picture after the resize and a number of processors.
  func prefixKey(processorCount: Int) -> ImageKey {
    recipe.prefix(processorCount: processorCount).key(of: key.source)
  }

  /// The request by whose keys a pipeline caches: with the rules for keys applied to its URL, and with the pipeline's treatment
  /// of colours if it has none of its own. Pipelines with other treatments may share a folder.
  func keyed(by configuration: ImagePipeline.Configuration) -> ImageRequest {
    var request = self
    let policy = configuration.decoding.colorPolicy
    if colorPolicy == nil, policy != .standard { request.colorPolicy = policy }
    let rules = configuration.caching.cacheKeyRules
    guard !rules.isEmpty, !fields.hasOwnKey, let url = source.webURL,
      let rule = rules.first(where: { $0.applies(to: url) })
    else {
      return request
    }
    request.changeRecipe { fields in
      fields.sourceKey = rule.applied(to: WebAddress.canonical(url.absoluteString))
      if case .request(let own) = fields.source { fields.sourceKey += own.keySuffix }
    }
    return request
  }
}

extension ImageRequest {
  /// The longest allowed side, in pixels.
  static let maximumSide = 1 << 20

  /// Refuses a resize that is empty or too large.
  ///
  /// - Throws: `ImageError.invalidSize`.
  func validate() throws(ImageError) {
    guard let resize else { return }
    for size in [resize.size, resize.region?.size ?? resize.size] {
      let isPossible = !size.isEmpty && size.width <= Self.maximumSide && size.height <= Self.maximumSide
      if !isPossible { throw .invalidSize(size, source: source.name) }
    }
  }
}
