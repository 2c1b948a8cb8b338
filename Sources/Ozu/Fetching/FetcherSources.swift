import Foundation

extension ImageSource {
  /// The source as the pipeline sees it: fetchers that only stand for a URL or a file are that URL or file, so that
  /// they share its place in the caches, its downloads and the rules of HTTP.
  var resolved: ImageSource {
    guard case .fetcher(let fetcher) = self, let standIn = fetcher as? any URLFetching,
      let url = standIn.plainURL
    else { return self }
    return .url(url)
  }
}

/// A fetcher that may stand for nothing but a URL.
package protocol URLFetching: ImageFetching {
  /// The URL, if the pipeline can load it by itself.
  var plainURL: URL? { get }
}
