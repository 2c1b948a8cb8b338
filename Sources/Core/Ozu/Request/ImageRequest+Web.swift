import Foundation
import OzuHTTP

/// The rules of a request for its download. `ImageURLRequest` has all of them.
extension ImageRequest {
  /// Makes a request for a web address with header fields of its own.
  public init(url: URL, headers: HTTPHeaders, resize: Resize? = nil) {
    self.init(.request(ImageURLRequest(url: url, headers: headers)), resize: resize)
  }

  /// Makes a request for an encoded file in memory, with a hash of its bytes as the key.
  ///
  /// - Complexity: O(length).
  public init(data: Data, resize: Resize? = nil) {
    self.init(.data(data), resize: resize)
  }

  /// The header fields of the download. None by default; `Accept` is added if it is missing.
  ///
  /// Credentials (`Authorization`, `Cookie`) are part of the picture's identity, other fields are not
  /// (`ImageURLRequest`). A load of an address that is not on the web fails if there are fields. Sources without an
  /// address have none: setting them changes nothing.
  public var headers: HTTPHeaders {
    get { ownDownload?.headers ?? [:] }
    set { changeDownload { $0.headers = newValue } }
  }

  /// The time limits of the download; `nil` (the default) for those of the pipeline. `deadline` limits the whole load.
  ///
  /// A load of an address that is not on the web fails if there are limits. Sources without an address have none: setting
  /// them changes nothing.
  public var timeouts: HTTPTimeouts? {
    get { ownDownload?.timeouts }
    set { changeDownload { $0.timeouts = newValue } }
  }

  private var ownDownload: ImageURLRequest? {
    if case .request(let request) = source { request } else { nil }
  }

  private mutating func changeDownload(_ change: (inout ImageURLRequest) -> Void) {
    var download: ImageURLRequest
    switch source {
    case .request(let own): download = own
    case .url(let url): download = ImageURLRequest(url: url)
    case .data, .picture, .fetcher: return
    }
    change(&download)
    // One without rules of its own is the same as its address alone.
    let source =
      download == ImageURLRequest(url: download.url) ? .url(download.url) : ImageSource.request(download)
    changeRecipe { fields in
      fields.source = source
      if !fields.hasOwnKey { fields.sourceKey = source.key }
    }
  }
}
