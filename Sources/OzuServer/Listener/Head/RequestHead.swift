import OzuHTTP

/// The request line and the header fields of a request.
struct RequestHead: Hashable, Sendable {
  var method: String
  /// The path and the query.
  var target: String
  var headers = HTTPHeaders()
  /// Whether the connection may carry another request (RFC 9112 §9.3).
  var keepsAlive = true
  /// The number of bytes of the body that follows; 0 except for an upload.
  var bodyByteCount = 0
}

/// The reason why a request is not answered and its connection is closed.
struct HeadRefusal: Error, Hashable, Sendable {
  let status: Int
  let reason: String

  static func malformed(_ reason: String) -> HeadRefusal { HeadRefusal(status: 400, reason: reason) }
}
