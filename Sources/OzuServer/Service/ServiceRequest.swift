public import Foundation
public import OzuHTTP

/// What was asked of a service, as whatever spoke HTTP understood it: a web framework, or this module's own listener.
public struct ServiceRequest: Sendable, Hashable {
  /// As it was sent, such as `GET`.
  public var method: String
  /// The path and the query as they were sent, percent-escapes untouched: a signature is over these characters.
  public var target: String
  /// The header fields.
  public var headers: HTTPHeaders
  /// Where the request comes from, for the log; nil when nobody knows.
  public var remoteAddress: String?
  /// The body; empty but for an upload to the playground.
  public var body = Data()

  /// Makes a request.
  public init(
    method: String, target: String, headers: HTTPHeaders = HTTPHeaders(), remoteAddress: String? = nil
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.remoteAddress = remoteAddress
  }
}
