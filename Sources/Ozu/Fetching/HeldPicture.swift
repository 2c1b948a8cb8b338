/// A picture in memory that a view was given under a key: it is brought to the view's size and cached under the key.
struct HeldPicture: ImageFetching {
  let picture: Picture
  let key: String

  func fetch() async throws -> FetchedImage { .picture(picture) }
}

/// A source that is known by its key alone. Only caches can answer for it.
struct AbsentFetcher: ImageFetching {
  let key: String

  func fetch() async throws -> FetchedImage { throw ImageError.notCached(key) }
}
