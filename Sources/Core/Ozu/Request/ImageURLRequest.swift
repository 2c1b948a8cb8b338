import OzuBase
import OzuHTTP

/// A picture on the web with its own rules for the download: with header fields, other time limits, or not over every
/// network. The method is always `GET`.
///
/// ```swift
/// var request = ImageURLRequest(url: url, headers: ["Authorization": "Bearer \(token)"])
/// request.timeouts = HTTPTimeouts(total: .seconds(20))
/// let picture = try await pipeline.image(for: ImageRequest(request))
/// ```
///
/// Credentials (`Authorization`, `Cookie`) are part of the picture's identity, in hashed form: a picture of one
/// account is never given to another, neither from a cache nor by a shared download. Other fields are not part of it,
/// unless `keyHeaders` names them: two requests that differ only in those are the same picture.
public struct ImageURLRequest: Hashable, Sendable {
  /// The URL: `http` or `https`.
  public var url: URL
  /// The header fields. `Accept` is added if it is missing (`ImageAcceptance`).
  public var headers: HTTPHeaders
  /// The names of the fields that are part of the picture's identity. None by default.
  public var keyHeaders: [String] = []
  /// The client hints. None by default. Requests with different hints are different pictures, even if the server
  /// ignores the hints.
  public var hints = ImageClientHints()
  /// The time limits of the download; `nil` (the default) for those of the pipeline. Requests share a download only if they agree
  /// in these and in the networks that they allow.
  public var timeouts: HTTPTimeouts?
  /// Whether the download may use a cellular network. For clients that know the kind of network; the client on Linux
  /// does not.
  public var allowsCellularAccess = true
  /// Whether the download may use an expensive network. For clients that know the kind of network.
  public var allowsExpensiveNetworkAccess = true
  /// Whether the download is allowed in low-data mode. For clients that know the mode.
  public var allowsConstrainedNetworkAccess = true

  /// Makes a request.
  public init(url: URL, headers: HTTPHeaders = [:]) {
    self.url = url
    self.headers = headers
  }

  /// The part of the key for these fields. Hashed, because keys are written to disk.
  var keySuffix: String {
    keyHeaders.map { " \($0.lowercased()):\(CacheKey(headers[$0] ?? ""))" }.joined()
      + hints.fields.map { " \($0.name):\($0.value)" }.joined()
  }
}

/// The client hints `Width`, `DPR` and `Save-Data` of a request, by which a server can send a picture that fits.
///
/// ```swift
/// var request = ImageURLRequest(url: url)
/// request.hints = ImageClientHints(width: 640, devicePixelRatio: 2)
/// ```
///
/// They reveal facts about the device and its user, so none is sent by default.
public struct ImageClientHints: Hashable, Sendable {
  /// The width of the view in pixels; `nil` (the default) is not sent.
  public var width: Int?
  /// The number of pixels per point on the screen; `nil` (the default) is not sent.
  public var devicePixelRatio: Double?
  /// Whether the server should send fewer bytes. Off by default.
  public var savesData: Bool

  /// Makes hints.
  public init(width: Int? = nil, devicePixelRatio: Double? = nil, savesData: Bool = false) {
    self.width = width
    self.devicePixelRatio = devicePixelRatio
    self.savesData = savesData
  }

  /// The header fields.
  var fields: [(name: String, value: String)] {
    var fields: [(String, String)] = []
    if let width { fields.append(("Width", String(width))) }
    if let devicePixelRatio {
      let isWhole = devicePixelRatio == devicePixelRatio.rounded() && abs(devicePixelRatio) < 1e9
      fields.append(("DPR", isWhole ? String(Int(clamping: devicePixelRatio)) : String(devicePixelRatio)))
    }
    if savesData { fields.append(("Save-Data", "on")) }
    return fields
  }
}
