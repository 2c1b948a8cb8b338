/// Whatever answers requests.
public protocol ServiceResponding: Sendable {
  /// Answers one request. What cannot be answered is a response too: its status says why.
  ///
  /// The task is cancelled when nobody waits for the answer any more.
  func respond(to request: ServiceRequest) async -> ServiceResponse

  /// Answers what needs no waiting, on the calling thread, which serves other connections too; `nil` for everything else, which
  /// `respond(to:)` is asked for then. Nothing by default.
  func immediateResponse(to request: ServiceRequest) -> ServiceResponse?
}

extension ServiceResponding {
  /// Nothing.
  public func immediateResponse(to request: ServiceRequest) -> ServiceResponse? { nil }
}
