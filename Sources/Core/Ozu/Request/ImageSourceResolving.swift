import OzuBase

/// Loads URLs of a scheme that Ozu does not support, or loads supported ones in another way.
///
/// A resolver may decline a URL: then the next resolver is asked, and finally the built-in code, which loads `http`,
/// `https`, `file` and `data`.
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
  /// The fetcher for a URL; `nil` to decline.
  ///
  /// Called only if no cache has the image, from any thread. The caches identify the image by its URL and ignore the
  /// `key` of the fetcher.
  func fetcher(for url: URL) -> (any ImageFetching)?
}

/// The resolvers of a pipeline.
///
/// A value: `configuration.sources.register(scheme: "s3") { url in S3Fetcher(url) }`. The last registered resolver is
/// asked first.
public struct ImageSourceRegistry: Sendable {
  private var resolvers: [any ImageSourceResolving] = []

  /// Makes a registry without resolvers.
  public init() {}

  /// Adds a resolver before the others.
  public mutating func register(_ resolver: any ImageSourceResolving) {
    resolvers.insert(resolver, at: 0)
  }

  /// Adds a resolver for the URLs of one scheme, such as `s3`, in upper or lower case.
  ///
  /// - Parameter fetcher: returns the fetcher for a URL; `nil` declines.
  public mutating func register(
    scheme: String, _ fetcher: @escaping @Sendable (URL) -> (any ImageFetching)?
  ) {
    register(SchemeResolver(scheme: scheme.lowercased(), make: fetcher))
  }

  /// The fetcher for a URL, from the first resolver that does not decline; `nil` if all decline.
  ///
  /// - Complexity: O(resolvers).
  public func fetcher(for url: URL) -> (any ImageFetching)? {
    for resolver in resolvers {
      if let fetcher = resolver.fetcher(for: url) { return fetcher }
    }
    return nil
  }

  /// Whether a URL may be loaded in another way than its scheme says.
  var hasResolvers: Bool { !resolvers.isEmpty }

  /// The access to the bytes of a source.
  ///
  /// - Throws: `ImageError.invalidSource` for a URL that cannot be loaded.
  func access(_ source: ImageSource) throws(ImageError) -> ImageSource.Access {
    if !resolvers.isEmpty, case .url(let url) = source, let fetcher = fetcher(for: url) {
      return .fetcher(fetcher)
    }
    return try source.access()
  }

  /// Whether the image of a source comes from a fetcher.
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
