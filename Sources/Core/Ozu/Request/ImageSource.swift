import OzuBase
import OzuHTTP

/// The source of an image.
public enum ImageSource: Sendable {
  /// A URL: of the web (`http`, `https`), of a file (`file`), or with the data inside (`data`).
  case url(URL)
  /// A web URL with its own header fields.
  case request(ImageURLRequest)
  /// An encoded file in memory, under a unique key.
  case data(Data, key: String)
  /// Pixels in memory, under a unique key.
  case picture(Picture, key: String)
  /// A fetcher of the app.
  case fetcher(any ImageFetching)

  /// An encoded file in memory, with a hash of its bytes as the key.
  ///
  /// - Complexity: O(length).
  public static func data(_ data: Data) -> ImageSource {
    .data(data, key: "bytes:\(CacheKey(hashing: data))")
  }

  /// Bytes from a closure that is called if no cache has them: `.init(key: "avatar/7") { try await store.avatar(7)
  /// }`.
  ///
  /// - Parameters:
  ///   - key: the identity of the image.
  ///   - fetch: fetches the bytes. Called at most once at a time; cancelled when no request wants the image any more.
  public init(key: String, fetch: @escaping @Sendable () async throws -> Data) {
    self = .fetcher(ClosureFetcher(key: key, fetching: fetch))
  }

  /// The kind of access that a source needs.
  enum Access {
    case network(URL)
    case file(String)
    case bytes(Data)
    case picture(Picture)
    case fetcher(any ImageFetching)
  }

  /// The identity of the image: equal keys mean the same image. The key of a URL is the URL, of a web address in one spelling and
  /// without its fragment; other keys have a prefix, so that a key of the app never equals a URL by accident.
  var key: String {
    switch self {
    case .url(let url): WebAddress.canonical(url.absoluteString)
    case .request(let request): WebAddress.canonical(request.url.absoluteString) + request.keySuffix
    case .data(_, let key): "data-key:\(key)"
    case .picture(_, let key): Self.pictureKey(key)
    case .fetcher(let fetcher): Self.ownKey(fetcher.key)
    }
  }

  /// The identity for a key of the app, from a fetcher or from a request.
  static func ownKey(_ key: String) -> String { "key:\(key)" }

  /// The identity of pixels in memory.
  static func pictureKey(_ key: String) -> String { "picture-key:\(key)" }

  /// The name of the source in messages: the URL without user, password, query and fragment, which may be secret; the
  /// path of a file; or the key. A `data:` URL is shortened.
  public var name: String {
    switch self {
    case .data(_, let key), .picture(_, let key): return key
    case .fetcher(let fetcher): return fetcher.key
    case .request(let request): return ImageSource.url(request.url).name
    case .url(let url):
      // Most are plain web URLs, and parsing one costs as much as starting its load.
      let text = url.absoluteString
      if text.hasPrefix("http") { return Redaction.address(text) }
      if url.isFileURL { return url.path(percentEncoded: false) }
      if url.scheme?.lowercased() == "data" { return String(url.absoluteString.prefix(40)) + "…" }
      return Redaction.address(text)
    }
  }

  /// The URL of a source on the web; nil for others.
  package var webURL: URL? {
    switch self {
    case .url(let url): url.begins(with: "file:") ? nil : url
    case .request(let request): request.url
    default: nil
    }
  }

  /// Whether it is a `data:` URL.
  var isDataURL: Bool {
    if case .url(let url) = self { url.begins(with: "data:") } else { false }
  }

  /// Whether it is a fetcher that streams.
  var isStreamed: Bool {
    if case .fetcher(let fetcher) = self { fetcher is any ImageStreaming } else { false }
  }

  /// Whether it is drawn from other pictures, which its pipeline loads.
  var isCanvas: Bool {
    if case .fetcher(let fetcher) = self { fetcher is CanvasFetcher } else { false }
  }

  /// The identity of the image in the caches: that of its name and, for requests with credentials, also of these, as
  /// in the HTTP cache.
  func cacheKey(for name: String) -> CacheKey {
    guard case .request(let request) = self else { return CacheKey(name) }
    let exchange = HTTPRequest(url: request.url, headers: request.headers)
    return ResponseStore.storeKey(HTTPCacheKey(exchange, resource: name))
  }

  /// The access to the bytes.
  ///
  /// - Throws: `ImageError.invalidSource` for a URL that cannot be loaded.
  func access() throws(ImageError) -> Access {
    switch self {
    case .data(let data, _): return .bytes(data)
    case .picture(let picture, _): return .picture(picture)
    case .fetcher(let fetcher): return .fetcher(fetcher)
    case .request(let request):
      guard case .network(let url) = try ImageSource.url(request.url).access() else {
        throw .invalidSource(name, reason: "only web addresses can have header fields")
      }
      return .network(url)
    case .url(let url):
      var scheme = url.scheme
      if scheme != "https", scheme != "http" { scheme = scheme?.lowercased() }
      switch scheme {
      case "http", "https":
        guard let host = url.host(), !host.isEmpty else {
          throw .invalidSource(name, reason: "the address names no host")
        }
        return .network(url)
      case "file": return .file(url.path(percentEncoded: false))
      case "data":
        guard let data = DataURL.decode(url.absoluteString) else {
          throw .invalidSource(name, reason: "the data address is malformed")
        }
        return .bytes(data)
      case let scheme?: throw .invalidSource(name, reason: "nothing here reads \"\(scheme):\" addresses")
      case nil: throw .invalidSource(name, reason: "the address is relative")
      }
    }
  }
}

/// A fetcher that calls a closure.
private struct ClosureFetcher: ImageFetching {
  let key: String
  let fetching: @Sendable () async throws -> Data

  func fetch() async throws -> FetchedImage { .data(try await fetching()) }
}

extension ImageSource {
  /// Whether it is a local file.
  var isLocalFile: Bool {
    if case .url(let url) = self { url.begins(with: "file:") } else { false }
  }

  /// The path of a local file; `nil` for other sources.
  var filePath: String? {
    guard case .url(let url) = self, url.begins(with: "file:") else { return nil }
    return url.path(percentEncoded: false)
  }

  /// Whether the source is bytes in memory or a local file, so that a load needs no cache.
  var isAtHand: Bool {
    if case .data = self { true } else { filePath != nil }
  }

  /// The levels that store pictures of this source. A path and the state of a file mean nothing to another machine,
  /// so pictures of local files stay in the first level.
  var reach: StoreChain.Reach { filePath == nil ? .all : .first }

  /// The source as the pipeline uses it: a fetcher that only represents a URL or a file is replaced by that URL or
  /// file, so that both share their cache entries, downloads and HTTP rules.
  var resolved: ImageSource {
    guard case .fetcher(let fetcher) = self, let urlFetcher = fetcher as? any URLFetching,
      let url = urlFetcher.plainURL
    else { return self }
    return .url(url)
  }
}

/// URLs that contain their data (RFC 2397).
enum DataURL {
  /// The data of a `data:` URL; `nil` if it is malformed.
  ///
  /// It is read as browsers do (Fetch Standard, "data: URL processor"): a fragment is no part of the data, base64 needs no padding
  /// and may have white space, and spaces before `base64` may be written as `%20`, as `URL` writes them.
  ///
  /// - Complexity: O(length).
  static func decode(_ text: String) -> Data? {
    let text = text.prefix { $0 != "#" }
    guard text.prefix(5).lowercased() == "data:", let comma = text.firstIndex(of: ",") else { return nil }
    let parameters = text[..<comma].split(separator: ";").dropFirst()
    guard let content = PercentEncoding.decoded(text[text.index(after: comma)...]) else { return nil }
    let last = parameters.last.flatMap { PercentEncoding.decoded($0) }.map {
      String(decoding: $0, as: UTF8.self)
    }
    guard last?.trimmed.lowercased() == "base64" else { return Data(content) }
    return base64Decoded(content)
  }

  /// Decodes base64 with or without padding; white space is left out ("forgiving-base64 decode" of the Infra Standard).
  private static func base64Decoded(_ text: [UInt8]) -> Data? {
    var digits = text.filter { byte in
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0x0C: false
      default: true
      }
    }
    guard digits.count % 4 != 1 else { return nil }
    digits.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - digits.count % 4) % 4))
    return Data(base64Encoded: Data(digits))
  }
}

extension URL {
  /// Whether its text begins with a scheme and a colon. Reading the text of a URL is cheap; reading its scheme is not.
  fileprivate func begins(with scheme: String) -> Bool {
    absoluteString.utf8.prefix(scheme.utf8.count).elementsEqual(scheme.utf8) { $0 | 0x20 == $1 | 0x20 }
  }
}

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
