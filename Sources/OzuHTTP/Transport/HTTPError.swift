import OzuText

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Why an exchange failed, and at which URL.
///
/// A status outside 200–299 is not an error here: the exchange worked, and the caller decides what it means.
public struct HTTPError: Error, Sendable, Hashable {
  /// The cause.
  public var reason: Reason
  /// The URL in use at that moment: of a chain of redirects, the hop that failed.
  public var url: URL?
  /// The limit that was reached, of a `timedOut`; nil where it is not known.
  public var limit: Duration?

  /// Makes an error; for clients, sinks and tests.
  public init(_ reason: Reason, url: URL? = nil, limit: Duration? = nil) {
    self.reason = reason
    self.url = url
    self.limit = limit
  }

  /// The causes a caller may want to tell apart.
  public enum Reason: Sendable, Hashable {
    /// The URL is relative or has no host.
    case invalidURL
    /// The URL's scheme is neither `http` nor `https`.
    case unsupportedScheme(String)
    /// The method or a header field cannot be written in HTTP; says which.
    case invalidRequest(String)
    /// The host has no address, or no name server answered.
    case nameNotResolved
    /// The host is there and refused the connection.
    case connectionRefused
    /// No connection could be made; says why.
    case connectionFailed(String)
    /// The proxy on the way could not be used: `host:port`, and what it did.
    case proxyFailed(proxy: String, why: String)
    /// The host's address is not one that may be connected to (`HTTPNetworkGuard`); says which.
    case addressRefused(String)
    /// The host is not one that may be asked (`HTTPHostRule`); says which. `url` is the hop that was not made.
    case hostNotAllowed(String)
    /// The user has asked to save data, and the request is not one to be made then.
    case constrainedNetwork
    /// The connection broke before the response's header section was complete.
    case connectionLost
    /// TLS could not be set up or the certificate was not accepted; says why.
    case tlsFailed(String)
    /// A limit of `HTTPTimeouts` was reached.
    case timedOut(HTTPTimeoutPhase)
    /// The chain of redirects is longer than the request allows.
    case tooManyRedirects(limit: Int)
    /// A redirect led from `https` to `http`, to a scheme other than these, or to no valid URL.
    case redirectRefused(location: String)
    /// The body is, or says it is, larger than the request allows.
    case bodyTooLarge(limit: Int)
    /// The body ended early. `expected` is nil where no length was announced.
    case bodyTruncated(received: Int, expected: Int?)
    /// The body came in a content coding, such as `gzip`, that had not ended when the body did.
    case contentCodingTruncated(coding: String)
    /// The server's bytes are not HTTP, or a content coding could not be undone.
    case protocolError(String)
    /// The body's receiver would not take it; says why.
    case refused(String)
    /// The task was cancelled or the client was shut down.
    case cancelled
    /// Anything else, with the transport's own code and words.
    case other(code: Int, message: String)
  }

  /// Whether the origin could not be reached, or not to the end: when a cache may answer in its place (RFC 9111 §4.2.4).
  ///
  /// An origin that answered is there, whatever is wrong with the answer, and so is one whose certificate is not accepted:
  /// somebody else may have answered in its place.
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

  /// One line for a person, naming the host or URL. Query and credentials are left out: they may be secrets.
  ///
  /// Control characters that a server has sent are written as numbers.
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
      "\(name.isEmpty ? place : name) is not among the hosts that may be loaded from"
    case .constrainedNetwork: "\(place) is not loaded while data is to be saved"
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
      "the body of \(place) broke off: its \(coding) coding has no end"
    case .protocolError(let what): "\(host) did not answer \(place) in valid HTTP: \(what)"
    case .refused(let why): "the body of \(place) was refused: \(why)"
    case .cancelled: "loading \(place) was cancelled"
    case .other(let code, let message): "loading \(place) failed: \(message) (\(code))"
    }
  }

  /// The same with the limit that was reached, of those that a request had; for `timedOut` alone.
  package func naming(_ timeouts: HTTPTimeouts) -> HTTPError {
    guard case .timedOut(let phase) = reason, limit == nil else { return self }
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
    let number = seconds == seconds.rounded() && seconds < 1e9 ? String(Int(seconds)) : String(seconds)
    return " (\(name) is \(number) s)"
  }

  /// The URL without user, password, query and fragment.
  static func redacted(_ url: URL) -> String { Redaction.address(url.shownText) }
}

extension HTTPError: CustomStringConvertible {
  /// The same as `message`.
  public var description: String { message }
}

/// Which limit of `HTTPTimeouts` was reached.
public enum HTTPTimeoutPhase: Sendable, Hashable {
  /// No connection in time.
  case connect
  /// The connection was silent for too long.
  case idle
  /// The whole exchange took too long.
  case total
  /// Over a whole window fewer bytes of the body came than these a second.
  case speed(bytesPerSecond: Int)
}
