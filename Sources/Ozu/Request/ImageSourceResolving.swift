import Foundation

/// Reads addresses of a kind that Ozu does not know, or reads known ones in another way.
///
/// A resolver may decline: then the next is asked, and last the built-in ones, which read `http`, `https`, `file` and
/// `data`.
///
/// ```swift
/// struct AssetResolver: ImageSourceResolving {
///   let bundle: AssetBundle
///   func fetcher(for url: URL) -> (any ImageFetching)? {
///     guard url.scheme == "asset" else { return nil }
///     return AssetFetcher(bundle, name: url.path())
///   }
/// }
/// let pipeline = ImagePipeline { $0.sources.register(AssetResolver(bundle: bundle)) }
/// ```
public protocol ImageSourceResolving: Sendable {
  /// What brings the image of an address; `nil` when it is none of this resolver's.
  ///
  /// Asked only when no cache has the answer, from any thread. The caches know the image by its address and do not
  /// look at the `key` of the fetcher.
  func fetcher(for url: URL) -> (any ImageFetching)?
}

/// The resolvers of a pipeline.
///
/// A value: `configuration.sources.register(scheme: "s3") { url in S3Fetcher(url) }`. What is registered later is asked
/// first.
public struct ImageSourceRegistry: Sendable {
  private var resolvers: [any ImageSourceResolving] = []

  /// Makes a registry in which only the built-in ways are known.
  public init() {}

  /// Whether nothing but the built-in ways is known.
  var isEmpty: Bool { resolvers.isEmpty }

  /// Adds a resolver, ahead of those that are there.
  public mutating func register(_ resolver: any ImageSourceResolving) {
    resolvers.insert(resolver, at: 0)
  }

  /// Adds a resolver for the addresses of one scheme, such as `s3`; upper and lower case are the same.
  ///
  /// - Parameter fetcher: what brings the image; `nil` declines.
  public mutating func register(
    scheme: String, _ fetcher: @escaping @Sendable (URL) -> (any ImageFetching)?
  ) {
    register(SchemeResolver(scheme: scheme.lowercased(), make: fetcher))
  }

  /// What brings the image of an address, by the first resolver that does not decline; `nil` when all do.
  ///
  /// - Complexity: O(resolvers).
  public func fetcher(for url: URL) -> (any ImageFetching)? {
    for resolver in resolvers {
      if let fetcher = resolver.fetcher(for: url) { return fetcher }
    }
    return nil
  }

  /// Whether an address may be anything but what it says.
  var hasResolvers: Bool { !resolvers.isEmpty }

  /// The way to the bytes of a source.
  ///
  /// - Throws: `ImageError.invalidSource` for an address that leads nowhere.
  func access(_ source: ImageSource) throws(ImageError) -> ImageSource.Access {
    if !resolvers.isEmpty, case .url(let url) = source, let fetcher = fetcher(for: url) {
      return .fetcher(fetcher)
    }
    return try source.access()
  }

  /// Whether a fetcher brings the image of a source.
  func usesFetcher(_ source: ImageSource) -> Bool {
    switch source {
    case .fetcher: true
    case .url(let url): !resolvers.isEmpty && fetcher(for: url) != nil
    default: false
    }
  }
}

private struct SchemeResolver: ImageSourceResolving {
  let scheme: String
  let make: @Sendable (URL) -> (any ImageFetching)?

  func fetcher(for url: URL) -> (any ImageFetching)? {
    url.scheme?.lowercased() == scheme ? make(url) : nil
  }
}
