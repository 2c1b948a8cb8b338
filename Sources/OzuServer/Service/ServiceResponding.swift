/// Something that answers requests.
public protocol ServiceResponding: Sendable {
  /// Answers one request. A failure is a response too; its status gives the reason.
  ///
  /// The task is cancelled if the answer is not needed any more.
  func respond(to request: ServiceRequest) async -> ServiceResponse

  /// Answers requests that need no waiting, on the calling thread, which serves other connections too. Returns
  /// `nil` for all other requests, which are then passed to `respond(to:)`. By default returns `nil`.
  func immediateResponse(to request: ServiceRequest) -> ServiceResponse?

  /// Called for each request that the listener refused by its head, with the answer that it got, for counts and logs. On the
  /// thread of all connections, so it must not block. By default does nothing.
  ///
  /// - Parameter request: without method, path and fields if the head could not be read.
  func noteRefusal(of request: ServiceRequest, _ response: ServiceResponse, reason: String)
}

extension ServiceResponding {
  /// Returns `nil`.
  public func immediateResponse(to request: ServiceRequest) -> ServiceResponse? { nil }

  /// Does nothing.
  public func noteRefusal(of request: ServiceRequest, _ response: ServiceResponse, reason: String) {}
}
