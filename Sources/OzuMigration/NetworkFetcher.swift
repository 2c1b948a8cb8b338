import Foundation
import Ozu

/// A picture on the web, as a source.
///
/// In a pipeline it is the same as its URL: the pipeline's client, its rules for what is kept, its retries and its
/// downloads. With a client of its own it fetches by itself, and HTTP's rules for caches are left aside.
public struct NetworkFetcher: ImageFetching, URLFetching {
  /// Where the picture is.
  public let url: URL
  /// The URL as text.
  public var key: String { url.absoluteString }

  private let client: (any HTTPClient)?
  private let limits: DecodingLimits

  /// Makes a source of a URL.
  ///
  /// - Parameters:
  ///   - client: what makes the exchange; `nil` (the default) for the pipeline's.
  ///   - limits: what may be downloaded.
  public init(_ url: URL, client: (any HTTPClient)? = nil, limits: DecodingLimits = .default) {
    self.url = url
    self.client = client
    self.limits = limits
  }

  package var plainURL: URL? { client == nil ? url : nil }

  /// Downloads the picture.
  ///
  /// - Throws: `ImageError`: `httpStatus` for a status other than 200 to 299, `bodyTruncated` for fewer bytes than
  ///   were announced, `emptyData` for none, `notAnImage` for a body that is something else; and those of the
  ///   transport.
  public func fetch() async throws -> FetchedImage {
    .data(try await ImageSource.contents(of: url, client: client, limits: limits))
  }
}
