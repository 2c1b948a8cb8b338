/// A time that something may take, with the clock that counts it.
struct Deadline: Sendable {
  let limit: Duration
  let sleep: @Sendable (Duration) async throws -> Void

  /// `nil` without a limit.
  init?(_ limit: Duration?, _ configuration: ImagePipeline.Configuration) {
    guard let limit else { return nil }
    self.limit = limit
    sleep = configuration.sleep
  }

  /// Runs an operation, and cancels it when the time is over.
  ///
  /// - Parameters:
  ///   - error: asked when the time is over.
  ///   - operation: answers soon after its task is cancelled.
  func run<Value: Sendable>(
    expiring error: @escaping @Sendable () -> ImageError,
    _ operation: @escaping @Sendable () async -> Result<Value, ImageError>
  ) async -> Result<Value, ImageError> {
    await withTaskGroup(of: Result<Value, ImageError>?.self) { group in
      group.addTask { await operation() }
      group.addTask { [limit, sleep] in
        // A sleep that is cancelled says nothing; the operation has answered then, or will.
        guard (try? await sleep(limit)) != nil else { return nil }
        return .failure(error())
      }
      var outcome: Result<Value, ImageError>?
      for await answer in group where answer != nil && outcome == nil {
        outcome = answer
        group.cancelAll()
      }
      return outcome ?? .failure(error())
    }
  }
}

extension Optional where Wrapped == Deadline {
  /// The same, without a limit where there is none.
  func run<Value: Sendable>(
    expiring error: @escaping @Sendable () -> ImageError,
    _ operation: @escaping @Sendable () async -> Result<Value, ImageError>
  ) async -> Result<Value, ImageError> {
    guard let self else { return await operation() }
    return await self.run(expiring: error, operation)
  }
}
