public import Foundation
public import OzuHTTP

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
