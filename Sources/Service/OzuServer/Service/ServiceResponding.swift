/// Something that answers requests.
public protocol ServiceResponding: Sendable {
  /// Answers one request. A failure is a response too; its status gives the reason.
  ///
  /// The task is cancelled if the answer is not needed any more.
  func respond(to request: ServiceRequest) async -> ServiceResponse

  /// Begins to answer one request, on the calling thread, which serves other connections too: answers it if that needs no
  /// waiting. By default all work is left.
  func begin(_ request: ServiceRequest) -> ServiceBeginning

  /// Called for each request that the listener refused by its head, with the answer that it got, for counts and logs. On the
  /// thread of all connections, so it must not block. By default does nothing.
  ///
  /// - Parameter request: without method, path and fields if the head could not be read.
  func noteRefusal(of request: ServiceRequest, _ response: ServiceResponse, reason: String)
}

extension ServiceResponding {
  /// Leaves all work.
  public func begin(_ request: ServiceRequest) -> ServiceBeginning {
    .work { await respond(to: request) }
  }

  /// Does nothing.
  public func noteRefusal(of request: ServiceRequest, _ response: ServiceResponse, reason: String) {}
}

/// A request of which what needs no waiting is done.
public enum ServiceBeginning: Sendable {
  /// The answer.
  case response(ServiceResponse)
  /// The work that is left, which knows what was found out so far. It runs once, and is cancelled if the answer is not needed any
  /// more.
  case work(@Sendable () async -> ServiceResponse)
}
