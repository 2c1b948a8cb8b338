import Foundation
import OzuHTTP

/// Where an image comes from.
public enum ImageSource: Sendable {
  /// A web address (`http`, `https`), a file (`file`), or a picture inside its own address (`data`).
  case url(URL)
  /// A web address that is asked for with header fields of its own.
  case request(ImageURLRequest)
  /// An encoded file in memory, under a key that tells it from all others.
  case data(Data, key: String)
  /// Pixels in memory, under a key that tells them from all others.
  case picture(Picture, key: String)
  /// A source of the app's own.
  case fetcher(any ImageFetching)

  /// An encoded file in memory, under a key that is a hash of its bytes.
  ///
  /// - Complexity: O(length).
  public static func data(_ data: Data) -> ImageSource {
    .data(data, key: "bytes:\(CacheKey(hashing: data))")
  }

  /// Bytes that a closure brings when no cache has them: `.init(key: "avatar/7") { try await store.avatar(7) }`.
  ///
  /// - Parameters:
  ///   - key: what tells this image from all others.
  ///   - fetch: called at most once at a time; cancelled when nobody wants the image any more.
  public init(key: String, fetch: @escaping @Sendable () async throws -> Data) {
    self = .fetcher(ClosureFetcher(key: key, fetching: fetch))
  }

  /// What kind of access a source needs.
  enum Access {
    case network(URL)
    case file(String)
    case bytes(Data)
    case picture(Picture)
    case fetcher(any ImageFetching)
  }

  /// The identity of the image: equal keys are taken for one image. URLs stand for themselves; the others are
  /// marked, so that a key of the app's own never meets a URL by chance.
  var key: String {
    switch self {
    case .url(let url): url.absoluteString
    case .request(let request): request.url.absoluteString + request.keySuffix
    case .data(_, let key): "data-key:\(key)"
    case .picture(_, let key): "picture-key:\(key)"
    case .fetcher(let fetcher): Self.ownKey(fetcher.key)
    }
  }

  /// The identity that a key of the app's own stands for, whether a fetcher or a request brings it.
  static func ownKey(_ key: String) -> String { "key:\(key)" }

  /// How the source is called in messages: the URL without what may be secret, that is without credentials, query and
  /// fragment; a file's path; or the key. A `data:`
  /// URL is cut short.
  public var name: String {
    switch self {
    case .data(_, let key), .picture(_, let key): return key
    case .fetcher(let fetcher): return fetcher.key
    case .request(let request): return ImageSource.url(request.url).name
    case .url(let url):
      // Most are plain web addresses, and to take one apart costs as much as starting its load.
      let text = url.absoluteString
      if text.hasPrefix("http") { return Redaction.address(text) }
      if url.isFileURL { return url.path(percentEncoded: false) }
      if url.scheme?.lowercased() == "data" { return String(url.absoluteString.prefix(40)) + "…" }
      return Redaction.address(text)
    }
  }

  /// The address, for what comes from the web.
  var webURL: URL? {
    switch self {
    case .url(let url): url.isFileURL ? nil : url
    case .request(let request): request.url
    default: nil
    }
  }

  /// Whether it is a picture inside its own address.
  var isDataURL: Bool {
    guard case .url(let url) = self else { return false }
    // The text of a URL is at hand, and its scheme is not.
    return url.absoluteString.utf8.prefix(5).elementsEqual("data:".utf8) { $0 | 0x20 == $1 | 0x20 }
  }

  /// Whether a fetcher brings it in pieces.
  var isStreamed: Bool {
    if case .fetcher(let fetcher) = self { fetcher is any ImageStreaming } else { false }
  }

  /// The identity of the image in the caches: that of its name and, for what is asked for with credentials, of these
  /// too, as the HTTP cache has it.
  func cacheKey(for name: String) -> CacheKey {
    guard case .request(let request) = self else { return CacheKey(name) }
    let exchange = HTTPRequest(url: request.url, headers: request.headers)
    return ResponseShelf.storeKey(HTTPCacheKey(exchange, resource: name))
  }

  /// The way to the bytes.
  ///
  /// - Throws: `ImageError.invalidSource` for a URL that leads nowhere.
  func access() throws(ImageError) -> Access {
    switch self {
    case .data(let data, _): return .bytes(data)
    case .picture(let picture, _): return .picture(picture)
    case .fetcher(let fetcher): return .fetcher(fetcher)
    case .request(let request):
      guard case .network(let url) = try ImageSource.url(request.url).access() else {
        throw .invalidSource(name, reason: "header fields go with web addresses only")
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

/// A closure as a source.
private struct ClosureFetcher: ImageFetching {
  let key: String
  let fetching: @Sendable () async throws -> Data

  func fetch() async throws -> FetchedImage { .data(try await fetching()) }
}
