import OzuBase
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

/// The steps of a request on a thread that decodes.
extension ImageRequest {
  /// The resize during the decode. A hook before the resize needs the whole picture, so there is none then.
  var decodingResize: Resize? { format?.options.preResize == nil ? resize : nil }

  /// The steps after the decode, in order.
  var decodedSteps: [any ImageProcessing] {
    guard let format, format.hasHooks else { return processors }
    func step(_ name: String, _ hook: CacheFormat.Hook?) -> [any ImageProcessing] {
      hook.map { [FormatHookStep(identifier: "format(\(format.name)).\(name)", key: plainKey, hook: $0)] }
        ?? []
    }
    var steps = step("preResize", format.options.preResize)
    if !steps.isEmpty, let resize { steps.append(resize) }
    return steps + processors + step("postResize", format.options.postResize)
  }

  /// The number of jobs that are shared in its cache format only (`JobKey`); zero without a format.
  var formatNumber: Int { format.map { -$0.number } ?? 0 }

  /// The same request in an equal format.
  func sharing(_ format: CacheFormat) -> ImageRequest {
    var request = self
    request.change { $0.recipe.parts.format = format }
    return request
  }

  /// The request for a view with a number of pixels per point: the lengths of its processors are points.
  func withLengths(inPointsOf scale: Double) -> ImageRequest {
    guard scale > 0, scale != 1, processors.contains(where: { $0 is any ScaledProcessing }) else {
      return self
    }
    return with {
      $0.processors = processors.map { ($0 as? any ScaledProcessing)?.scaled(by: scale) ?? $0 }
    }
  }
}

/// The hook of a format as a processor.
private struct FormatHookStep: ImageProcessing {
  let identifier: String
  let key: String
  let hook: CacheFormat.Hook

  func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    let result: Picture?
    do {
      result = try hook(key, Picture(bitmap.bitmap))
    } catch {
      throw .failed(identifier, reason: error.oneLine)
    }
    guard let result else { throw .failed(identifier, reason: "the hook returned no picture") }
    return BGRABitmap(result.bitmap, pool: context.pool)
  }
}
