/// Waits until a condition holds, and lets other tasks run in between.
///
/// For events that nothing reports: a job that has queued, a request that has joined another. If there is something to
/// wait for (a gate's arrivals, a task's value), wait for that.
///
/// ```swift
/// try await eventually(client.cancelledCount == 1)
/// ```
///
/// - Parameters:
///   - limit: The longest time to wait, in real time: a test whose condition never holds fails and does not delay the
///     others.
///   - condition: Checked again and again, so it should be cheap.
/// - Throws: ``EventuallyTimeout`` when the time is over, `CancellationError` when the task is cancelled.
public func eventually(
  within limit: Duration = .seconds(600), isolation: isolated (any Actor)? = #isolation,
  file: StaticString = #fileID, line: UInt = #line, _ condition: @autoclosure () throws -> Bool
) async throws {
  let end = ContinuousClock.now + limit
  var lookCount = 0
  while try !condition() {
    guard ContinuousClock.now < end else {
      throw EventuallyTimeout(limit: limit, file: "\(file)", line: line)
    }
    try Task.checkCancellation()
    lookCount += 1
    // A longer wait is for other threads or processes, which should not share their processor with this loop.
    if lookCount < 100 { await Task.yield() } else { try await Task.sleep(for: .microseconds(500)) }
  }
}

/// The condition of `eventually` did not hold within its limit.
public struct EventuallyTimeout: Error, CustomStringConvertible {
  let limit: Duration
  let file: String
  let line: UInt

  /// The place in the test, and the limit.
  public var description: String { "\(file):\(line): not within \(limit)" }
}
