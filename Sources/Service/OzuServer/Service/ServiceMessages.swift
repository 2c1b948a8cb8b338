public import Foundation
public import OzuHTTP

/// A request to a service, after it was parsed by a web framework or by this module's listener.
public struct ServiceRequest: Sendable, Hashable {
  /// The method as it was sent, such as `GET`.
  public var method: String
  /// The path and the query as they were sent, with percent-escapes unchanged: signatures cover these characters.
  public var target: String
  /// The header fields.
  public var headers: HTTPHeaders
  /// The client's address, for the log; nil if it is unknown.
  public var remoteAddress: String?
  /// The body; empty except for an upload to the playground.
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

/// The answer of a service.
///
/// The sender adds `Content-Length`, `Date` and the fields of the connection. For `HEAD` it omits the body, and
/// sends the fields of the same `GET`.
public struct ServiceResponse: Sendable, Hashable {
  /// The status code, from 200 to 599.
  public var status: Int
  /// The header fields.
  public var headers: HTTPHeaders
  /// The body; empty for 204 and 304.
  public var body: Data

  /// Makes a response.
  public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
