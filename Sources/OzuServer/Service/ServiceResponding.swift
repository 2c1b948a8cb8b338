/// Something that answers requests.
public protocol ServiceResponding: Sendable {
  /// Answers one request. A failure is a response too; its status gives the reason.
  ///
  /// The task is cancelled if the answer is not needed any more.
  func respond(to request: ServiceRequest) async -> ServiceResponse

  /// Answers requests that need no waiting, on the calling thread, which serves other connections too. Returns
  /// `nil` for all other requests, which are then passed to `respond(to:)`. By default returns `nil`.
  func immediateResponse(to request: ServiceRequest) -> ServiceResponse?
}

extension ServiceResponding {
  /// Returns `nil`.
  public func immediateResponse(to request: ServiceRequest) -> ServiceResponse? { nil }
}
