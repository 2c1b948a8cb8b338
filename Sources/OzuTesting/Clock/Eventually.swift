/// Waits until a condition holds, and gives way to other tasks in between.
///
/// For what comes about in its own time and tells nobody: a job that has queued, a request that has joined another.
/// Where there is something to wait for (a gate's arrivals, a task's value), wait for that.
///
/// ```swift
/// try await eventually(client.cancelledCount == 1)
/// ```
///
/// - Parameters:
///   - limit: How long the condition may take, in real time: a test that waits for what never comes fails, and does
///     not hold up the others.
///   - condition: Asked again and again, so it should be cheap.
/// - Throws: ``NeverCame`` when the time is over, `CancellationError` when the task is cancelled.
public func eventually(
  within limit: Duration = .seconds(600), isolation: isolated (any Actor)? = #isolation,
  file: StaticString = #fileID, line: UInt = #line, _ condition: @autoclosure () throws -> Bool
) async throws {
  let end = ContinuousClock.now + limit
  while try !condition() {
    guard ContinuousClock.now < end else { throw NeverCame(limit: limit, file: "\(file)", line: line) }
    try Task.checkCancellation()
    await Task.yield()
  }
}

/// What a test waited for did not come about in its time.
public struct NeverCame: Error, CustomStringConvertible {
  let limit: Duration
  let file: String
  let line: UInt

  /// Where the test waited, and how long.
  public var description: String { "\(file):\(line): not within \(limit)" }
}
