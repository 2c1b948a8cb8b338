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

  /// The formats that it accepts instead of the pipeline's, from its property or from its own header field.
  var ownAcceptance: ImageAcceptance? {
    if let acceptance { return acceptance }
    guard case .request(let own) = source else { return nil }
    return own.headers["Accept"].map(ImageAcceptance.field)
  }

  /// The limits of its download; `nil` if it has only those of the pipeline.
  var ownLimits: DownloadLimits? {
    guard case .request(let own) = source else { return nil }
    let limits = DownloadLimits(of: own)
    return limits == .unlimited ? nil : limits
  }
}

/// The parts of a request by which its download may fail where another one of the same address succeeds. Requests that differ in
/// them share no download: the limits of one must not fail the other.
struct DownloadLimits: Hashable, Sendable {
  private var timeouts: HTTPTimeouts?
  private var (allowsCellular, allowsExpensive, allowsConstrained) = (true, true, true)

  static let unlimited = DownloadLimits()

  private init() {}

  init(of request: ImageURLRequest) {
    timeouts = request.timeouts
    allowsCellular = request.allowsCellularAccess
    allowsExpensive = request.allowsExpensiveNetworkAccess
    allowsConstrained = request.allowsConstrainedNetworkAccess
  }
}

/// Names that users of other libraries try first. The compiler says which name is the right one.
extension ImageRequest {
  /// `resized(to:mode:)` gives a request a size.
  @available(*, unavailable, message: "use 'ImageRequest(url: url).resized(to: size)'")
  public init(url: URL, size: PixelSize) { self = ImageRequest(url: url).resized(to: size) }
  /// A URL is one of the sources.
  @available(*, unavailable, message: "use 'source', and 'source.name' in messages")
  public var url: URL? { source.webURL }
  /// How caches are used is said by `cachePolicy`, `readLayers` and `writeLayers`.
  @available(*, unavailable, message: "use 'cachePolicy', 'readLayers' and 'writeLayers'")
  public var options: [CachePolicy] {
    get { [cachePolicy] }
    set { cachePolicy = newValue.last ?? cachePolicy }
  }
}
