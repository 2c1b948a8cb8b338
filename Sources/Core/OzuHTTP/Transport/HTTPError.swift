import OzuBase

/// The reason why an exchange failed, and its URL.
///
/// A status outside 200–299 is not an error here: the exchange succeeded, and the caller decides about the status.
public struct HTTPError: Error, Sendable, Hashable {
  /// The cause.
  public var reason: Reason
  /// The URL at the time of the failure: in a chain of redirects, the hop that failed.
  public var url: URL?
  /// The limit that was reached, for `timedOut`; nil if it is not known.
  public var limit: Duration?

  /// Makes an error; for clients, sinks and tests.
  public init(_ reason: Reason, url: URL? = nil, limit: Duration? = nil) {
    self.reason = reason
    self.url = url
    self.limit = limit
  }

  /// The causes.
  public enum Reason: Sendable, Hashable {
    /// The URL is relative or has no host.
    case invalidURL
    /// The URL's scheme is neither `http` nor `https`.
    case unsupportedScheme(String)
    /// The method or a header field is not allowed in HTTP; says which.
    case invalidRequest(String)
    /// The host has no address, or no name server answered.
    case nameNotResolved
    /// The host exists and refused the connection.
    case connectionRefused
    /// No connection could be made; says why.
    case connectionFailed(String)
    /// The proxy could not be used: its `host:port`, and its failure.
    case proxyFailed(proxy: String, why: String)
    /// The client may not connect to the host's address (`HTTPNetworkGuard`); says which.
    case addressRefused(String)
    /// The client may not ask the host (`HTTPHostRule`); says which. `url` is the hop that was not made.
    case hostNotAllowed(String)
    /// The user wants to save data, and the request does not allow that.
    case constrainedNetwork
    /// The connection broke before the response's header section was complete.
    case connectionLost
    /// TLS could not be set up or the certificate was not accepted; says why.
    case tlsFailed(String)
    /// A limit of `HTTPTimeouts` was reached.
    case timedOut(HTTPTimeoutPhase)
    /// The chain of redirects is longer than the request allows.
    case tooManyRedirects(limit: Int)
    /// A redirect went from `https` to `http`, to another scheme, or to an invalid URL.
    case redirectRefused(location: String)
    /// The body, or its announced length, is larger than the request allows.
    case bodyTooLarge(limit: Int)
    /// The body ended early. `expected` is nil if no length was announced.
    case bodyTruncated(received: Int, expected: Int?)
    /// The body ended before its content coding, such as `gzip`, was complete.
    case contentCodingTruncated(coding: String)
    /// The server's bytes are not valid HTTP, or the body could not be decoded.
    case protocolError(String)
    /// The receiver of the body refused it; says why.
    case refused(String)
    /// The task was cancelled or the client was shut down.
    case cancelled
    /// Any other failure, with the code and the message of the transport.
    case other(code: Int, message: String)
  }

  /// Whether the origin could not be reached, or the connection broke: then a cache may serve a stale response (RFC
  /// 9111 §4.2.4).
  ///
  /// False if the origin answered, even with an invalid answer. False also if its certificate was not accepted,
  /// because another server may have answered.
  public var isDisconnection: Bool {
    switch reason {
    case .nameNotResolved, .connectionRefused, .connectionFailed, .connectionLost, .timedOut, .bodyTruncated,
      .proxyFailed:
      true
    case .invalidURL, .unsupportedScheme, .invalidRequest, .addressRefused, .hostNotAllowed,
      .constrainedNetwork, .tlsFailed,
      .tooManyRedirects, .redirectRefused, .bodyTooLarge, .contentCodingTruncated, .protocolError, .refused,
      .cancelled, .other:
      false
    }
  }

  /// One line for people, with the host or the URL. Query and credentials are left out, because they may be secret.
  ///
  /// Control characters from a server are written as numbers.
  public var message: String { PrintableText.escaped(words) }

  private var words: String {
    let host = url?.shownHost ?? "the server"
    let place = url.map(HTTPError.redacted) ?? "the URL"
    return switch reason {
    case .invalidURL:
      if let port = url?.port, !HTTPOrigin.ports.contains(port) {
        "the port \(port) of \(place) is not between 1 and 65535"
      } else {
        "\(place) is not an absolute URL with a host"
      }
    case .unsupportedScheme(let scheme):
      "\(place) has the scheme \"\(scheme)\"; only http and https are loaded"
    case .invalidRequest(let what): "the request for \(place) cannot be sent: \(what)"
    case .nameNotResolved:
      "the name \(host) could not be resolved; check its spelling and the connection to the network"
    case .connectionRefused: "\(host) refused the connection for \(place); is a server running there?"
    case .connectionFailed(let why): "no connection to \(host): \(why)"
    case .proxyFailed(let proxy, let why):
      "the proxy \(proxy) \(why), on the way to \(place); check http_proxy and https_proxy, or the client's setting"
    case .addressRefused(let address): "\(host) is at \(address), which is not a public address"
    case .hostNotAllowed(let name):
      "\(name.isEmpty ? place : name) is not one of the allowed hosts"
    case .constrainedNetwork: "\(place) is not loaded, because the user wants to save data"
    case .connectionLost: "\(host) closed the connection before answering \(place)"
    case .tlsFailed(let why): "no secure connection to \(host): \(why)"
    case .timedOut(.connect): "connecting to \(host) took too long\(limitText("the limit on connecting"))"
    case .timedOut(.idle): "\(host) went silent while answering \(place)\(limitText("the limit on silence"))"
    case .timedOut(.total): "loading \(place) took too long\(limitText("the limit on the whole exchange"))"
    case .timedOut(.speed(let minimum)):
      "the answer of \(place) came more slowly than \(minimum) bytes a second\(limitText("the time to reach this minimum"))"
    case .tooManyRedirects(let limit): "\(place) redirected more than \(limit) times"
    case .redirectRefused(let location):
      "\(place) redirects to \"\(Redaction.address(location))\", which is not followed"
    case .bodyTooLarge(let limit): "the body of \(place) is larger than the limit of \(limit) bytes"
    case .bodyTruncated(let received, let expected?):
      "the body of \(place) ended after \(received) of \(expected) bytes"
    case .bodyTruncated(let received, nil): "the body of \(place) broke off after \(received) bytes"
    case .contentCodingTruncated(let coding):
      "the body of \(place) ended before its \(coding) coding was complete"
    case .protocolError(let what): "\(host) did not answer \(place) in valid HTTP: \(what)"
    case .refused(let why): "the body of \(place) was refused: \(why)"
    case .cancelled: "loading \(place) was cancelled"
    case .other(let code, let message): "loading \(place) failed: \(message) (\(code))"
    }
  }

  /// The same error with the duration of the limit that was reached; only for `timedOut`. The client of a later hop has named only
  /// what was left of the limit on the whole exchange.
  package func naming(_ timeouts: HTTPTimeouts) -> HTTPError {
    guard case .timedOut(let phase) = reason, limit == nil || phase == .total else { return self }
    var error = self
    error.limit =
      switch phase {
      case .connect: timeouts.connect
      case .idle: timeouts.idle
      case .total: timeouts.total
      case .speed: timeouts.minimumSpeed?.window
      }
    return error
  }

  private func limitText(_ name: String) -> String {
    guard let limit else { return "" }
    let seconds = limit.inSeconds
    let whole = Int(clamping: seconds)
    let number = Double(whole) == seconds ? String(whole) : String(seconds)
    return " (\(name) is \(number) s)"
  }

  /// The URL without user, password, query and fragment.
  static func redacted(_ url: URL) -> String { Redaction.address(url.shownText) }
}

extension HTTPError: DescribedError {
  /// The same as `message`.
  public var description: String { message }
}

/// The limit of `HTTPTimeouts` that was reached.
public enum HTTPTimeoutPhase: Sendable, Hashable {
  /// The connection was not made in time.
  case connect
  /// The connection was silent for too long.
  case idle
  /// The whole exchange took too long.
  case total
  /// During a whole window, the body was slower than this many bytes per second.
  case speed(bytesPerSecond: Int)
}
