import OzuBase
public import OzuHTTP

/// Something that answers requests.
public protocol ServiceResponding: Sendable {
  /// Answers one request. A failure is a response too; its status gives the reason.
  ///
  /// The task is cancelled if the answer is not needed any more.
  func respond(to request: ServiceRequest) async -> ServiceResponse

  /// Begins to answer one request, on the calling thread, which serves other connections too: answers it if that needs no
  /// waiting. By default all work is left.
  func begin(_ request: ServiceRequest) -> ServiceBeginning

  /// Called for each request that the listener refuses by its head, for counts and logs. On the thread of all connections, so it
  /// must not block. By default does nothing.
  ///
  /// - Parameter request: without method, path and fields if the head could not be read.
  /// - Returns: the answer, with the fields that all answers have.
  @discardableResult
  func noteRefusal(
    of request: ServiceRequest, _ response: ServiceResponse, reason: String
  ) -> ServiceResponse

  /// Where listeners count the connections whose requests they pass on. By default `nil`, for nowhere.
  var connectionCounts: ConnectionCounts? { get }
}

extension ServiceResponding {
  /// Leaves all work.
  public func begin(_ request: ServiceRequest) -> ServiceBeginning {
    .work { await respond(to: request) }
  }

  /// Does nothing.
  @discardableResult
  public func noteRefusal(
    of request: ServiceRequest, _ response: ServiceResponse, reason: String
  ) -> ServiceResponse { response }

  /// Nowhere.
  public var connectionCounts: ConnectionCounts? { nil }
}

/// A request of which what needs no waiting is done.
public enum ServiceBeginning: Sendable {
  /// The answer.
  case response(ServiceResponse)
  /// The work that is left, which knows what was found out so far. It runs once, and is cancelled if the answer is not needed any
  /// more.
  case work(@Sendable () async -> ServiceResponse)
}

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
  var isReading: Bool { method == "GET" || method == "HEAD" }
  /// The place of the request in a trace, once the service has looked for it.
  var trace: TraceContext?

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
