/// A picture that is in memory already, as a source: it is brought to a format and cached under a key.
public struct SimpleFetcher: ImageFetching {
  /// The identity of the picture.
  public let key: String
  private let picture: Picture

  /// Makes a source of a picture.
  public init(_ picture: Picture, key: String) {
    self.picture = picture
    self.key = key
  }

  /// Gives the picture.
  public func fetch() async throws -> FetchedImage { .picture(picture) }
}

/// A source that is known by its key alone: what the caches do not have, nobody has.
struct AbsentFetcher: ImageFetching {
  let key: String

  func fetch() async throws -> FetchedImage { throw ImageError.notCached(key) }
}
