import OzuHTTP

extension ImageRequest {
  /// The keys of the pictures after each of the steps before the last one.
  ///
  /// - Parameter count: the number of these steps; at least one. The request must have processors.
  func recipeKeys(beforeLast count: Int) -> [CacheKey] {
    if format?.hasHooks == true {
      // Closures have no identity, so steps with hooks are never shared.
      return (1...count).map { key.rendition.derived("step \($0)") }
    }
    var keys = [prefixKey(processorCount: 0).rendition]
    for processor in processors.dropLast() { keys.append(keys[keys.count - 1].derived(processor.identifier)) }
    return Array(keys.suffix(count))
  }

  /// The identity of the picture after the resize and a number of processors.
  func prefixKey(processorCount: Int) -> ImageKey {
    let resizing = resize.map { [$0.identifier] } ?? []
    return ImageKey(
      source: key.source,
      steps: resizing + processors.prefix(processorCount).map(\.identifier) + fields.decoding.steps)
  }

  /// The request with the cache-key rules applied to its URL.
  func keyed(by rules: [CacheKeyRule]) -> ImageRequest {
    guard !rules.isEmpty, !fields.hasOwnKey, let url = source.webURL,
      let rule = rules.first(where: { $0.applies(to: url) })
    else {
      return self
    }
    var request = self
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
    guard let resize = fields.resize else { return }
    for size in [resize.size, resize.region?.size ?? resize.size] {
      let isPossible = !size.isEmpty && size.width <= Self.maximumSide && size.height <= Self.maximumSide
      if !isPossible { throw .invalidSize(size, source: source.name) }
    }
  }
}
