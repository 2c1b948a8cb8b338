import Foundation
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
  /// The time limits of the download; `nil` (the default) for those of the pipeline.
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

extension ImageRequest {
  /// The HTTP request for the bytes of the source.
  func exchange(
    with url: URL, _ context: LoadContext, priority: HTTPPriority
  ) -> HTTPRequest {
    var exchange = context.configuration.exchange(with: url, headers: context.headers, priority: priority)
    exchange.allowsConstrainedNetworks = !hasLowDataSource
    if case .request(let own) = source {
      if let timeouts = own.timeouts { exchange.timeouts = timeouts }
      exchange.allowsConstrainedNetworks =
        exchange.allowsConstrainedNetworks && own.allowsConstrainedNetworkAccess
      exchange.allowsCellularNetworks = own.allowsCellularAccess
      exchange.allowsExpensiveNetworks = own.allowsExpensiveNetworkAccess
      let accept = exchange.headers["Accept"]
      exchange.headers = own.headers
      if !own.headers.contains(name: "Accept") { exchange.headers["Accept"] = accept }
      for field in own.hints.fields { exchange.headers[field.name] = field.value }
    }
    if let acceptance {
      exchange.headers["Accept"] = acceptance.text(for: context.configuration.decoding.codecs)
    }
    return exchange
  }
}

extension ImagePipeline.Configuration {
  /// The HTTP request for a URL without its own rules. Every command and every load sends this one, and stored
  /// variants are chosen by it.
  package func exchange(
    with url: URL, headers: HTTPHeaders? = nil, priority: HTTPPriority = .normal
  ) -> HTTPRequest {
    HTTPRequest(
      url: url, headers: headers ?? self.headers, timeouts: network.timeouts,
      maximumBodyByteCount: decoding.limits.encodedByteCount, priority: priority)
  }

  /// The header fields of these requests.
  var headers: HTTPHeaders { ["Accept": network.acceptance.text(for: decoding.codecs)] }
}
