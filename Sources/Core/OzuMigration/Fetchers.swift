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

/// A source for a picture in a local file. Does the same as the file URL.
public struct DiskFetcher: ImageFetching, URLFetching {
  /// The path of the file.
  public let path: String
  /// The path.
  public var key: String { path }

  /// Makes a source of a file.
  public init(path: String) {
    self.path = path
  }

  package var plainURL: URL? { URL(filePath: path) }

  /// Reads the file.
  ///
  /// - Throws: `ImageError`: `noSuchFile`, `isDirectory`, `unreadableFile`, `emptyData` for no bytes, `notAnImage` for
  ///   bytes that are not an image.
  public func fetch() async throws -> FetchedImage {
    .data(try await ImageSource.contents(ofFile: path))
  }
}

/// A source for a picture that is already in memory: the pipeline resizes it and caches it under a key. In Ozu it is
/// `ImageSource.picture(_:key:)`.
public struct SimpleFetcher: ImageFetching {
  /// The identity of the picture.
  public let key: String
  private let picture: Picture

  /// Makes a fetcher for a picture.
  public init(_ picture: Picture, key: String) {
    self.picture = picture
    self.key = key
  }

  /// Returns the picture.
  public func fetch() async throws -> FetchedImage { .picture(picture) }
}
