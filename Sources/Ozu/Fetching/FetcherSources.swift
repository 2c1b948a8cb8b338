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
