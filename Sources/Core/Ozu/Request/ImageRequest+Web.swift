import OzuBase
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

/// The download itself.
extension ImageRequest {
  /// `deadline` limits the whole load, `timeouts` the download.
  @available(*, unavailable, message: "use 'deadline' for the whole load, or 'timeouts' for the download")
  public var timeout: Duration? {
    get { deadline }
    set { deadline = newValue }
  }
}

/// The identity of a request's own rules for its download: for HTTP, the formats that it accepts, and the limits by which it may fail
/// where another download of the same address succeeds. Requests that differ in them share no download.
///
/// A hash of 128 bits, because the rules are large and rare, and a key of a job with references inside takes twice as long to copy.
struct DownloadRules: Hashable, Sendable {
  private struct Values: Hashable {
    var httpPolicy: HTTPCachePolicy?
    /// From its property or from its own header field.
    var acceptance: ImageAcceptance?
    var timeouts: HTTPTimeouts?
    var allowsCellular = true
    var allowsExpensive = true
    var allowsConstrained = true
  }

  private var (high, low) = (0, 0)

  /// Only the rules of the pipeline.
  static let none = DownloadRules()

  // Not an initializer: that would take a copy of all fields.
  static func of(_ fields: ImageRequest.Fields) -> DownloadRules {
    var values = Values(httpPolicy: fields.httpPolicy, acceptance: fields.acceptance)
    if case .request(let own) = fields.source {
      if values.acceptance == nil { values.acceptance = own.headers["Accept"].map(ImageAcceptance.field) }
      values.timeouts = own.timeouts
      values.allowsCellular = own.allowsCellularAccess
      values.allowsExpensive = own.allowsExpensiveNetworkAccess
      values.allowsConstrained = own.allowsConstrainedNetworkAccess
    } else if fields.httpPolicy == nil, fields.acceptance == nil {
      return .none
    }
    guard values != Values() else { return .none }
    var rules = DownloadRules()
    rules.low = values.hashValue
    var hasher = Hasher()
    hasher.combine(rules.low)
    hasher.combine(values)
    rules.high = hasher.finalize()
    return rules
  }
}
