import Foundation
import OzuHTTP

/// A picture on the web that is asked for in a way of its own: with header fields, other time limits, or not over
/// every network. The method is always `GET`.
///
/// ```swift
/// var request = ImageURLRequest(url: url, headers: ["Authorization": "Bearer \(token)"])
/// request.timeouts = HTTPTimeouts(total: .seconds(20))
/// let picture = try await pipeline.image(for: ImageRequest(request))
/// ```
///
/// Credentials (`Authorization`, `Cookie`) are part of the picture's identity, hashed: what one account may see is
/// never given to another, from no cache and by no shared download. Other fields are not, unless `keyHeaders` names
/// them: two requests that differ only in those are the same picture.
public struct ImageURLRequest: Hashable, Sendable {
  /// The address: `http` or `https`.
  public var url: URL
  /// The header fields. `Accept` is added where it is missing (`ImageAcceptance`).
  public var headers: HTTPHeaders
  /// The names of the fields that tell two pictures of one address apart. None by default.
  public var keyHeaders: [String] = []
  /// What the server is told of the place for the picture. Nothing by default. Requests with different hints are different
  /// pictures, also where the server does not look at them.
  public var hints = ImageClientHints()
  /// The time limits of the download; `nil` (the default) for those of the pipeline.
  public var timeouts: HTTPTimeouts?
  /// Whether the download may go over a cellular network. Carried for clients that can tell; the client on Linux
  /// cannot.
  public var allowsCellularAccess = true
  /// Whether the download may go over a network that is dear. Carried for clients that can tell.
  public var allowsExpensiveNetworkAccess = true
  /// Whether the download may go on in low-data mode. Carried for clients that can tell.
  public var allowsConstrainedNetworkAccess = true

  /// Makes a request.
  public init(url: URL, headers: HTTPHeaders = [:]) {
    self.url = url
    self.headers = headers
  }

  /// The fields that count, as a part of the key. Hashed, because keys are written down.
  var keySuffix: String {
    keyHeaders.map { " \($0.lowercased()):\(CacheKey(headers[$0] ?? ""))" }.joined()
      + hints.fields.map { " \($0.name):\($0.value)" }.joined()
  }
}

extension ImageRequest {
  /// The exchange that brings the bytes of the source.
  func exchange(
    with url: URL, _ context: LoadContext, priority: HTTPPriority
  ) -> HTTPRequest {
    var exchange = context.configuration.exchange(with: url, headers: context.headers, priority: priority)
    exchange.allowsConstrainedNetworks = !hasLowDataSource
    if case .request(let own) = source {
      if let timeouts = own.timeouts { exchange.timeouts = timeouts }
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
  /// The exchange that brings the bytes of an address that is asked for in no way of its own: the one that every command
  /// and every load sends, and by which stored variants are chosen.
  package func exchange(
    with url: URL, headers: HTTPHeaders? = nil, priority: HTTPPriority = .normal
  ) -> HTTPRequest {
    HTTPRequest(
      url: url, headers: headers ?? self.headers, timeouts: network.timeouts,
      maximumBodyByteCount: decoding.limits.encodedByteCount, priority: priority)
  }

  /// The fields of these exchanges.
  var headers: HTTPHeaders { ["Accept": network.acceptance.text(for: decoding.codecs)] }
}
