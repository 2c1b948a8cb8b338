import Ozu

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
