import OzuSynchronization

extension SharedJobs {
  /// The outcome of the job of `key`, which is started unless it runs already, for those who await it.
  ///
  /// - Parameters:
  ///   - cancellation: what to throw when the calling task is cancelled.
  ///   - onProgress: called outside of all locks.
  ///   - onPreview: called outside of all locks.
  /// - Returns: the value, and whether another subscriber had started the job.
  func value(
    for key: Key, priority: LivePriority, cancellation: ImageError,
    onProgress: (@Sendable (LoadProgress) -> Void)? = nil,
    onPreview: (@Sendable (Picture) -> Void)? = nil, operation: @escaping Operation
  ) async throws(ImageError) -> (value: Value, isShared: Bool) {
    let awaiter = Awaiter<Key, Value>(priority.value, onProgress: onProgress, onPreview: onPreview)
    let observation: Observation? =
      if case .changing(let cell) = priority { Observation(cell) } else { nil }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        awaiter.continuation = continuation
        guard join(key, awaiter, operation: { operation }) else {
          return continuation.resume(returning: .failure(cancellation))
        }
        guard let observation else { return }
        observation.begin { [weak self] in self?.change(awaiter, to: priority.value) }
        // What changed before the observation began.
        change(awaiter, to: priority.value)
      }
    } onCancel: {
      if leave(awaiter) != nil { awaiter.continuation?.resume(returning: .failure(cancellation)) }
    }
    observation?.end()
    return (try outcome.get(), hasJoinedOther(awaiter))
  }

  /// The same at an urgency that stays.
  func value(
    for key: Key, priority: ImagePriority, cancellation: ImageError,
    onProgress: (@Sendable (LoadProgress) -> Void)? = nil,
    onPreview: (@Sendable (Picture) -> Void)? = nil, operation: @escaping Operation
  ) async throws(ImageError) -> (value: Value, isShared: Bool) {
    try await value(
      for: key, priority: .fixed(priority), cancellation: cancellation, onProgress: onProgress,
      onPreview: onPreview, operation: operation)
  }
}

/// A Swift task that waits for a job.
private final class Awaiter<Key: Hashable & Sendable, Value: Sendable>: JobSubscriber {
  // Read and written only under the lock of the jobs, once it has joined.
  nonisolated(unsafe) var seat: SharedJobs<Key, Value>.Seat
  // Written before it joins. Who reads it has taken it from the jobs under their lock: at the end, or when it leaves
  // a job that it had joined.
  nonisolated(unsafe) var continuation: CheckedContinuation<Result<Value, ImageError>, Never>?

  private let onProgress: (@Sendable (LoadProgress) -> Void)?
  private let onPreview: (@Sendable (Picture) -> Void)?
  private let heard = Mutex(0)

  init(
    _ level: ImagePriority, onProgress: (@Sendable (LoadProgress) -> Void)?,
    onPreview: (@Sendable (Picture) -> Void)?
  ) {
    seat = SharedJobs<Key, Value>.Seat(level: level, isListening: onProgress != nil || onPreview != nil)
    self.onProgress = onProgress
    self.onPreview = onPreview
  }

  /// It waits on behalf of somebody who has begun.
  var wouldOnlyWait: Bool { false }

  func receive(_ news: JobNews) {
    let before = heard.withLock { heard -> Int? in
      guard news.number > heard else { return nil }
      defer { heard = news.number }
      return heard
    }
    guard let before else { return }
    if let preview = news.preview, preview.number > before {
      onPreview?(preview.picture)
      if preview.number == news.number { return }
    }
    if let progress = news.progress { onProgress?(progress) }
  }

  func receive(_ outcome: Result<Value, ImageError>, after news: JobNews) {
    continuation?.resume(returning: outcome)
  }
}
