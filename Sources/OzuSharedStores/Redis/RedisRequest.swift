/// A command in progress, and the closure that waits for its answer.
///
/// Immutable. The thread of the loop calls `complete` exactly once.
final class RedisRequest: Sendable {
  let bytes: [UInt8]
  /// After this instant the answer is useless.
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
