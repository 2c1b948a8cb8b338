import Foundation

/// Where an image comes from.
public enum ImageSource: Sendable {
  /// A web address (`http`, `https`), a file (`file`), or a picture inside its own address (`data`).
  case url(URL)
  /// An encoded file in memory, under a key that tells it from all others.
  case data(Data, key: String)
  /// A source of the app's own.
  case fetcher(any ImageFetching)

  /// What kind of access a source needs.
  enum Access {
    case network(URL)
    case file(String)
    case bytes(Data)
    case fetcher(any ImageFetching)
  }

  /// The identity of the image: equal keys are taken for one image. URLs stand for themselves; the others are
  /// marked, so that a key of the app's own never meets a URL by chance.
  var key: String {
    switch self {
    case .url(let url): url.absoluteString
    case .data(_, let key): "data-key:\(key)"
    case .fetcher(let fetcher): Self.ownKey(fetcher.key)
    }
  }

  /// The identity that a key of the app's own stands for, whether a fetcher or a request brings it.
  static func ownKey(_ key: String) -> String { "key:\(key)" }

  /// How the source is called in messages: the URL without credentials, a file's path, or the key. A `data:`
  /// URL is cut short.
  public var name: String {
    switch self {
    case .data(_, let key): return key
    case .fetcher(let fetcher): return fetcher.key
    case .url(let url):
      if url.isFileURL { return url.path(percentEncoded: false) }
      if url.scheme?.lowercased() == "data" { return String(url.absoluteString.prefix(40)) + "…" }
      guard url.user() != nil || url.password() != nil,
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
      else { return url.absoluteString }
      parts.user = nil
      parts.password = nil
      return parts.string ?? url.absoluteString
    }
  }

  /// The way to the bytes.
  ///
  /// - Throws: `ImageError.invalidSource` for a URL that leads nowhere.
  func access() throws(ImageError) -> Access {
    switch self {
    case .data(let data, _): return .bytes(data)
    case .fetcher(let fetcher): return .fetcher(fetcher)
    case .url(let url):
      switch url.scheme?.lowercased() {
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
