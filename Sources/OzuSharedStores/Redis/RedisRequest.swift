/// A command on its way, with who waits for the answer.
///
/// Immutable. The thread of the loop calls `complete` exactly once.
final class RedisRequest: Sendable {
  let bytes: [UInt8]
  /// From then on the answer is of no use.
  let deadline: ContinuousClock.Instant
  private let completion: @Sendable (Result<RESPValue, RedisError>) -> Void

  init(
    _ command: RESPCommand, deadline: ContinuousClock.Instant,
    completion: @escaping @Sendable (Result<RESPValue, RedisError>) -> Void
  ) {
    bytes = command.bytes
    self.deadline = deadline
    self.completion = completion
  }

  func complete(_ result: Result<RESPValue, RedisError>) { completion(result) }
}
