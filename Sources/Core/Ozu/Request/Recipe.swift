import OzuBase
import OzuHTTP

/// Everything that changes the outcome of a load, except where the bytes come from. Keys are made of it, and it says from which
/// other pictures of its source a picture may be made.
///
/// The limits on a decode are not part of it, because they are the same for all requests of a pipeline.
struct Recipe: Sendable {
  /// The resize (`nil` for the picture at its own size), how the file is decoded, the steps that follow the resize, and the cache
  /// format, which has a place of its own in the caches and may change the picture by closures.
  ///
  /// A tuple: code that must decide about each part takes it apart, so it does not compile when a part is added.
  var parts:
    (resize: Resize?, decoding: RequestedDecoding, processors: [any ImageProcessing], format: CacheFormat?)
  {
    didSet { normalize() }
  }

  /// Makes a recipe. The resize of a format replaces `resize`.
  init(
    resize: Resize? = nil, decoding: RequestedDecoding = .plain, processors: [any ImageProcessing] = [],
    format: CacheFormat? = nil
  ) {
    parts = (format.map(\.resize) ?? resize, decoding, processors, format)
    normalize()
  }

  /// Removes a resize that changes nothing, so that the recipe has the same key as one without.
  private mutating func normalize() {
    if parts.resize?.changesNothing == true { parts.resize = nil }
  }

  // MARK: Keys

  /// The identifiers of all steps. Keys on disk depend on their order.
  var steps: [String] {
    let (resize, decoding, processors, format) = parts
    var steps: [String] = []
    if let step = format?.step { steps.append(step) }
    if let resize { steps.append(resize.identifier) }
    for processor in processors { steps.append(processor.identifier) }
    decoding.append(to: &steps)
    return steps
  }

  /// The key of the result for a source.
  func key(of source: CacheKey) -> ImageKey { ImageKey(source: source, steps: steps) }

  /// The recipe of the picture after the first of the processors. It has no format: without closures that only names a place in
  /// the caches.
  func prefix(processorCount: Int) -> Recipe {
    let (resize, decoding, processors, _) = parts
    return Recipe(resize: resize, decoding: decoding, processors: Array(processors.prefix(processorCount)))
  }

  // MARK: Making a picture from another one

  /// Whether an app's closures change the picture. They have no identity, so their results are not shared.
  var hasHooks: Bool { parts.format?.hasHooks == true }

  /// Whether pictures of other recipes may be made from a picture of this one: it has 8 bits, before any other step. One that
  /// shows a part could serve what lies inside, but the parts of a zoomed picture would push the whole ones out of the list of
  /// known pictures, which contains no others (`KnownVariants`).
  var servesOthers: Bool {
    let (resize, decoding, processors, format) = parts
    return resize?.region == nil && decoding.servesOthers && processors.isEmpty && format?.hasHooks != true
  }

  /// Whether a picture of a larger recipe can stand in for the source. Whether it has the pixels is decided by `Derivation`.
  func canBeMade(from larger: Recipe) -> Bool {
    // Any processors: they follow the resize.
    let (resize, decoding, _, format) = parts
    guard larger.servesOthers, decoding.servesOthers,
      decoding.keepsProfile == larger.parts.decoding.keepsProfile,
      format?.hasHooks != true, let resize
    else { return false }
    return larger.parts.resize.map { resize.isServed(by: $0) } ?? true
  }

  /// Whether to wait for a picture that is being loaded, judged by the recipes alone: the same mode and proportions,
  /// and not so much larger that the wait takes longer than making the smaller one.
  func isWorthWaiting(for larger: Recipe) -> Bool {
    guard canBeMade(from: larger), let resize = parts.resize, let other = larger.parts.resize,
      other.mode == resize.mode,
      other.region == resize.region, other.cutsOff == resize.cutsOff, !resize.allowsUpscaling,
      !other.allowsUpscaling, !resize.size.isEmpty
    else { return false }
    let (a, b) = (other.size, resize.size)
    return a.width * b.height == a.height * b.width && 2 * a.width >= 3 * b.width && a.width <= 4 * b.width
  }
}

extension Resize {
  /// Whether a larger picture was resampled at least as carefully as this resize would be, in the same values. Every field that
  /// is not named here must be equal.
  fileprivate func isServed(by larger: Resize) -> Bool {
    var other = larger
    // Areas and sizes are compared by their geometry.
    (other.size, other.mode, other.crops, other.region) = (size, mode, crops, region)
    other.sidesOfSmall = sidesOfSmall
    other.allowsUpscaling = allowsUpscaling
    // A resampled picture has colours that its source does not have.
    if kernel == .nearest { return false }
    if other.kernel == .lanczos3 { other.kernel = kernel }
    if other.quality == .balanced { other.quality = quality }
    if allowsEmbeddedThumbnail { other.allowsEmbeddedThumbnail = true }
    return other == self
  }
}

/// How a request wants a file decoded: the treatment of its colours, and whether a part of it is enough. Part of the
/// recipe.
struct RequestedDecoding: Hashable, Sendable {
  /// The treatment of colours that are not sRGB; `nil` for that of the pipeline. A pipeline whose treatment is not the platform's
  /// standard puts its own in place of `nil` (`ImageRequest.keyed(by:)`), so that keys name what was done.
  var policy: ColorPolicy?

  /// The HDR headroom for which a gain map is applied, in stops; `nil` for none.
  private(set) var headroomStops: Double?

  /// Whether the part of a truncated file that is there will do.
  var allowsTruncation = false

  /// The headroom at which the brightest pixel has 64 times the light of white, which is beyond the maximum of PQ.
  static let mostStops = 6.0

  init(policy: ColorPolicy? = nil) { self.policy = policy }

  /// Sets the headroom. A value that is not a positive number counts as none.
  mutating func setHeadroom(_ stops: Double?) {
    headroomStops = stops.flatMap { $0 > 0 ? min($0, Self.mostStops) : nil }
  }

  /// A whole file in the colours of the pipeline, without a headroom.
  static let plain = RequestedDecoding()

  /// The treatment that keys name.
  private var keyPolicy: ColorPolicy { policy ?? .standard }

  /// Appends the identity of the treatment, as steps of the recipe: none for a whole file in sRGB.
  func append(to steps: inout [String]) {
    if keyPolicy != .convertToSRGB { steps.append("colors(\(keyPolicy))") }
    if let headroomStops { steps.append("headroom(\(headroomStops))") }
    if allowsTruncation { steps.append("partial") }
  }

  /// Whether smaller pictures may be made from the decoded one: a whole file in 8 bits.
  var servesOthers: Bool {
    headroomStops == nil && !allowsTruncation && keyPolicy.pixelFormats == .bgra8
  }

  /// Whether a profile stays, in 8 bits.
  var keepsProfile: Bool { keyPolicy == .keepProfile }

  /// Whether a pipeline with this treatment of colours decodes so without being asked.
  func isPlain(under pipelinePolicy: ColorPolicy) -> Bool {
    var own = self
    if own.policy == pipelinePolicy { own.policy = nil }
    return own == .plain
  }

  /// For reading a rendition: keeps the colours and the bits with which it was written.
  static let written = RequestedDecoding(policy: .keepForFile)

  /// The context of a decode under this treatment and the limits of a pipeline.
  func context(
    _ pipeline: ImagePipeline.Configuration.Decoding, assistant: DecodingAssistant? = nil,
    isCancelled: @escaping () -> Bool = { false }
  ) -> DecodingContext {
    let policy = policy ?? pipeline.colorPolicy
    let context = DecodingContext(
      limits: pipeline.limits, pool: pipeline.pixelBufferPool,
      allowsTruncation: allowsTruncation, colorPolicy: policy, pixelFormats: policy.pixelFormats,
      budget: pipeline.decodedByteBudget, isCancelled: isCancelled
    ).assisted(by: assistant)
    guard let headroomStops else { return context }
    return context.brightened(toStops: headroomStops)
  }
}

/// What a request makes of its recipe: keys, and the steps to its picture.
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

  /// The number of steps that are shared in its cache format only (`JobKey`); zero without a format.
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
