import Foundation

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
package protocol URLFetching: ImageFetching {
  /// The URL, if the pipeline can load it by itself.
  var plainURL: URL? { get }
}

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

/// Stands for a text that is not a URL.
struct InvalidAddress: ImageFetching {
  let key: String

  func fetch() async throws -> FetchedImage {
    throw ImageError.invalidSource(key, reason: "the text is not a URL")
  }
}
