import Foundation
import OzuHTTP

/// What to load, what to make of it, and how: a value.
///
/// ```swift
/// var request = ImageRequest(url: url, resize: Resize(.init(320, 240), mode: .aspectFill, crops: true))
/// request.priority = .high
/// let picture = try await pipeline.image(for: request)
/// ```
public struct ImageRequest: Sendable {
  /// Where the image comes from.
  public let source: ImageSource
  /// The recipe; `nil` for the picture at its own size.
  public private(set) var resize: Resize?
  /// The format, whose recipe is then `resize`; `nil` for none.
  public private(set) var format: CacheFormat?
  /// The steps that follow the resize, in their order.
  public private(set) var processors: [any ImageProcessing]
  /// The identity of the result in every cache.
  public private(set) var key: ImageKey
  /// What tells the source from others, in words.
  private(set) var sourceKey: String
  private let hasOwnKey: Bool
  /// How urgent it is.
  public var priority: ImagePriority
  /// How the caches are used.
  public var cachePolicy: CachePolicy
  /// The HTTP rules for this request; `nil` (the default) for those of the pipeline.
  ///
  /// `.ignoring(lifetime:)` makes an aggressive cache of one request.
  public var httpPolicy: HTTPCachePolicy?
  /// Sources to try in this order when the one before has failed, such as a mirror or a smaller version. Each is
  /// cached as itself.
  public var alternatives: [ImageSource] = []
  /// What to load in place of the source while the user has asked to save data (Low Data Mode on Apple platforms): a
  /// smaller version. `nil` (the default) loads the source then too. It is cached as itself; a picture that a cache
  /// has of the source is preferred.
  public var lowDataSource: ImageSource?

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - source: where the image comes from.
  ///   - resize: the recipe; `nil` (the default) for the whole picture.
  ///   - processors: the steps that follow the resize; none by default.
  ///   - cacheKey: an identity to use in place of the source's own, for example for addresses that carry a
  ///     token that changes.
  ///   - format: the format, whose recipe takes the place of `resize`; none by default.
  public init(
    _ source: ImageSource, resize: Resize? = nil, processors: [any ImageProcessing] = [],
    priority: ImagePriority = .normal, cachePolicy: CachePolicy = .useCaches, cacheKey: String? = nil,
    format: CacheFormat? = nil
  ) {
    // A recipe that changes nothing shares the place of the whole picture.
    let recipe = format.map(\.resize) ?? resize
    let resize = recipe?.mode == ScaleMode.none ? nil : recipe
    let source = source.resolved
    let steps = Self.steps(format, resize, processors)
    self.source = source
    self.format = format
    self.resize = resize
    self.processors = processors
    self.priority = priority
    self.cachePolicy = cachePolicy
    sourceKey = cacheKey.map { "key:\($0)" } ?? source.key
    hasOwnKey = cacheKey != nil
    key = ImageKey(sourceKey: sourceKey, steps: steps)
  }

  /// Makes a request for a URL: web, file or `data:`.
  public init(
    url: URL, resize: Resize? = nil, processors: [any ImageProcessing] = [],
    priority: ImagePriority = .normal, cachePolicy: CachePolicy = .useCaches, cacheKey: String? = nil,
    format: CacheFormat? = nil
  ) {
    self.init(
      .url(url), resize: resize, processors: processors, priority: priority, cachePolicy: cachePolicy,
      cacheKey: cacheKey, format: format)
  }

  /// The same request in a format, whose recipe takes the place of `resize`.
  public func formatted(_ format: CacheFormat) -> ImageRequest {
    var request = self
    request.format = format
    request.resize = format.resize
    request.key = ImageKey(sourceKey: sourceKey, steps: request.steps)
    return request
  }

  /// The same request with other steps after the resize.
  public func processed(by processors: [any ImageProcessing]) -> ImageRequest {
    var request = self
    request.processors = processors
    request.key = ImageKey(sourceKey: sourceKey, steps: request.steps)
    return request
  }

  /// What the caches' listings call the result: the source and what is done with it.
  var label: String {
    ([sourceKey] + steps).joined(separator: " ")
  }

  /// The identifiers of all that is done with the source, in order.
  var steps: [String] { Self.steps(format, resize, processors) }

  private static func steps(
    _ format: CacheFormat?, _ resize: Resize?, _ processors: [any ImageProcessing]
  ) -> [String] {
    let recipe = [format.map { "format(\($0.name))" }, resize?.identifier].compactMap(\.self)
    return recipe + processors.map(\.identifier)
  }

  /// Whether the result is more than the source's own picture, and has a place of its own in the caches.
  var hasRecipe: Bool { format != nil || resize != nil || !processors.isEmpty }

  /// The request under the key that rules give its URL.
  func keyed(by rules: [CacheKeyRule]) -> ImageRequest {
    guard !rules.isEmpty, !hasOwnKey, case .url(let url) = source,
      let rule = rules.first(where: { $0.applies(to: url) })
    else {
      return self
    }
    var request = self
    request.sourceKey = rule.applied(to: sourceKey)
    request.key = ImageKey(sourceKey: request.sourceKey, steps: steps)
    return request
  }

  /// The sources to try after a failure, in this order.
  func substitutes(after error: ImageError) -> [ImageSource] {
    guard let lowDataSource, case .transport(_, let cause) = error, cause.reason == .constrainedNetwork else {
      return alternatives
    }
    return [lowDataSource] + alternatives
  }

  /// The same request of another source.
  func alternative(_ source: ImageSource) -> ImageRequest {
    var request = ImageRequest(
      source, resize: resize, processors: processors, priority: priority, cachePolicy: cachePolicy,
      format: format)
    request.httpPolicy = httpPolicy
    return request
  }

  /// The longest side that may be asked for, in pixels.
  static let maximumSide = 1 << 20

  /// Refuses what no source can answer.
  ///
  /// - Throws: `ImageError.invalidSize`.
  func validate() throws(ImageError) {
    guard let size = resize?.size else { return }
    let isPossible = !size.isEmpty && size.width <= Self.maximumSide && size.height <= Self.maximumSide
    if !isPossible { throw .invalidSize(size, source: source.name) }
  }
}
