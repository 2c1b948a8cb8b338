import OzuHTTP

extension ImageRequest {
  /// The keys of the pictures after each of so many steps that stand before the last one.
  ///
  /// - Parameter count: at least one; the request has processors.
  func recipeKeys(beforeLast count: Int) -> [CacheKey] {
    if format?.hasHooks == true {
      // Nobody else's steps are like those of a closure.
      return (1...count).map { key.rendition.derived("step \($0)") }
    }
    var keys = [prefixKey(processorCount: 0).rendition]
    for processor in processors.dropLast() { keys.append(keys[keys.count - 1].derived(processor.identifier)) }
    return Array(keys.suffix(count))
  }

  /// The identity of the picture after the resize and so many processors.
  func prefixKey(processorCount: Int) -> ImageKey {
    let resizing = resize.map { [$0.identifier] } ?? []
    return ImageKey(
      source: key.source,
      steps: resizing + processors.prefix(processorCount).map(\.identifier) + fields.colors.steps)
  }

  /// The request under the key that rules give its URL.
  func keyed(by rules: [CacheKeyRule]) -> ImageRequest {
    guard !rules.isEmpty, !fields.hasOwnKey, let url = source.webURL,
      let rule = rules.first(where: { $0.applies(to: url) })
    else {
      return self
    }
    var request = self
    request.changeRecipe { fields in
      fields.sourceKey = rule.applied(to: url.absoluteString)
      if case .request(let own) = fields.source { fields.sourceKey += own.keySuffix }
    }
    return request
  }
}
