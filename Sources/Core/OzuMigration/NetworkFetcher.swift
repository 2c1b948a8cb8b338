import Foundation
import Ozu

/// A source for a picture on the web.
///
/// Without a client of its own it does the same as the URL: the pipeline downloads with its client, cache rules and
/// retries. With a client of its own it downloads itself, and HTTP's rules for caches are not applied.
public struct NetworkFetcher: ImageFetching, URLFetching {
  /// The address of the picture.
  public let url: URL
  /// The URL as text.
  public var key: String { url.absoluteString }

  private let client: (any HTTPClient)?
  private let limits: DecodingLimits

  /// Makes a source of a URL.
  ///
  /// - Parameters:
  ///   - client: the client that downloads; `nil` (the default) for the pipeline's.
  ///   - limits: the limits for a download that the fetcher makes itself.
  public init(_ url: URL, client: (any HTTPClient)? = nil, limits: DecodingLimits = .default) {
    self.url = url
    self.client = client
    self.limits = limits
  }

  package var plainURL: URL? { client == nil ? url : nil }

  /// Downloads the picture.
  ///
  /// - Throws: `ImageError`: `httpStatus` for a status other than 200 to 299, `bodyTruncated` for fewer bytes than
  ///   were announced, `emptyData` for none, `notAnImage` for a body that is not an image; and the errors of
  ///   the transport.
  public func fetch() async throws -> FetchedImage {
    .data(try await ImageSource.contents(of: url, client: client, limits: limits))
  }
}
