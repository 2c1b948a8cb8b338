/// A fetcher for a picture that is already in memory: it is resized by the request and cached under a key.
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

/// A source that only has a key: its picture can only come from the caches.
struct AbsentFetcher: ImageFetching {
  let key: String

  func fetch() async throws -> FetchedImage { throw ImageError.notCached(key) }
}
