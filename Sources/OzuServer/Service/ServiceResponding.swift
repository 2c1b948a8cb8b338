/// Whatever answers requests.
public protocol ServiceResponding: Sendable {
  /// Answers one request. What cannot be answered is a response too: its status says why.
  ///
  /// The task is cancelled when nobody waits for the answer any more.
  func respond(to request: ServiceRequest) async -> ServiceResponse
}
