import Foundation
import OzuHTTP

/// A fetcher for a picture on the web.
///
/// In a pipeline it is the same as its URL: it uses the pipeline's client, storage rules, retries and downloads. With
/// its own client it fetches by itself, and HTTP caching is not used.
public struct NetworkFetcher: ImageFetching, URLFetching {
  /// The URL of the picture.
  public let url: URL
  /// The URL as text.
  public var key: String { url.absoluteString }

  private let client: (any HTTPClient)?
  private let limits: DecodingLimits

  /// Makes a fetcher for a URL.
  ///
  /// - Parameters:
  ///   - client: the HTTP client; `nil` (the default) for the pipeline's.
  ///   - limits: the limits of the download.
  public init(_ url: URL, client: (any HTTPClient)? = nil, limits: DecodingLimits = .default) {
    self.url = url
    self.client = client
    self.limits = limits
  }

  var plainURL: URL? { client == nil ? url : nil }

  /// Downloads the picture.
  ///
  /// - Throws: `ImageError`: `httpStatus` for a status other than 200 to 299, `bodyTruncated` for fewer bytes than
  ///   announced, `emptyData` for none, `notAnImage` for a body that is not an image; and the errors of the
  ///   transport.
  public func fetch() async throws -> FetchedImage {
    let name = ImageSource.url(url).name
    guard case .network(let url) = try ImageSource.url(url).access() else {
      throw ImageError.invalidSource(name, reason: "this is no web address")
    }
    let request = HTTPRequest(
      url: url, headers: ["Accept": ImageAcceptance.decodable.text(for: .standard)],
      maximumBodyByteCount: limits.encodedByteCount)
    let response: HTTPResponse
    let body: Data
    do throws(HTTPError) {
      (body, response) = try await (client ?? DefaultHTTPClient.shared).data(for: request)
    } catch {
      throw ImageError(error, source: name)
    }
    guard (200..<300).contains(response.head.status) else {
      throw ImageError.httpStatus(response.head.status, source: name)
    }
    return .data(try body.checkedImage(name))
  }
}

extension Data {
  /// The same bytes, if they begin like an image file.
  ///
  /// - Throws: `ImageError.emptyData` or `notAnImage`.
  func checkedImage(_ name: String) throws(ImageError) -> Data {
    switch ContentKind(sniffing: self) {
    case .image: return self
    case .empty: throw .emptyData(name)
    case .other(let kind): throw .notAnImage(name, kind: kind)
    case .unknown: throw .notAnImage(name, kind: nil)
    }
  }
}

extension ImageSource {
  /// The source as the pipeline uses it: a fetcher that only represents a URL or a file is replaced by that URL or
  /// file, so that both share their cache entries, downloads and HTTP rules.
  var resolved: ImageSource {
    guard case .fetcher(let fetcher) = self, let urlFetcher = fetcher as? any URLFetching,
      let url = urlFetcher.plainURL
    else { return self }
    return .url(url)
  }
}

/// A fetcher that may only represent a URL.
protocol URLFetching: ImageFetching {
  /// The URL, if the pipeline can load it by itself.
  var plainURL: URL? { get }
}
