import OzuBase
import OzuHTTP

/// The failure of a request to an S3 service. `ImageStoreError.underlying` contains it.
public enum S3Error: Error, Hashable, Sendable {
  /// The exchange was not completed.
  case transport(HTTPError)
  /// The answer did not arrive within the deadline.
  case timedOut(Duration)
  /// The service refused the request; its status and its error code, such as `SlowDown`.
  case refused(status: Int, code: String)
  /// A listing is malformed; says what is wrong.
  case malformedListing(String)
  /// The circuit breaker is open, because the service failed several times in a row.
  case circuitOpen
}

extension S3Error: CustomStringConvertible {
  /// One line for people.
  public var description: String {
    switch self {
    case .transport(let error): error.message
    case .timedOut(let limit): "the service did not answer within \(limit)"
    case .refused(let status, let code): PrintableText.escaped("the service refused: \(status) \(code)")
    case .malformedListing(let what): "the service's listing is malformed: \(what)"
    case .circuitOpen: "the service has failed repeatedly and is not asked for a while"
    }
  }

  /// Whether the service can do nothing at all now, or nothing with these credentials. Other errors are about one
  /// object.
  var isFailure: Bool {
    switch self {
    case .transport, .timedOut: true
    case .refused(let status, _): status >= 500 || [401, 403, 408, 429].contains(status)
    case .malformedListing, .circuitOpen: false
    }
  }
}
