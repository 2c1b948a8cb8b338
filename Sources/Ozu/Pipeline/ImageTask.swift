import Foundation
import OzuSynchronization

/// A running load.
///
/// ```swift
/// let task = pipeline.task(for: url)
/// for await progress in task.progress { bar.fraction = progress.fraction ?? 0 }
/// let picture = try await task.image
/// ```
///
/// It runs whether anybody awaits it or not, and ends exactly once. Cancelling a Swift task that awaits it
/// cancels the load.
public final class ImageTask: Sendable {
  /// What is loaded.
  public let request: ImageRequest
  private let work: Task<Result<ImageResponse, ImageError>, Never>
  private let state: ProgressBroadcast
  private let urgency: PriorityCell

  init(request: ImageRequest, pipeline: ImagePipeline) {
    self.request = request
    let urgency = PriorityCell(request.priority)
    self.urgency = urgency
    let state = ProgressBroadcast()
    self.state = state
    work = Task.detached {
      let outcome: Result<ImageResponse, ImageError>
      do throws(ImageError) {
        outcome = .success(
          try await pipeline.response(
            for: request, priority: .changing(urgency), onProgress: state.send))
      } catch {
        outcome = .failure(error)
      }
      state.finish()
      return outcome
    }
  }

  /// The picture.
  ///
  /// - Throws: `ImageError`.
  public var image: Picture {
    get async throws(ImageError) { try await response.picture }
  }

  /// The picture, with where it came from and how long each stage took.
  ///
  /// - Throws: `ImageError`.
  public var response: ImageResponse {
    get async throws(ImageError) {
      let outcome = await withTaskCancellationHandler {
        await work.value
      } onCancel: {
        cancel()
      }
      return try outcome.get()
    }
  }

  /// Calls the load off. Work that other requests share goes on; a finished task stays as it is.
  public func cancel() { work.cancel() }

  /// How urgent the load is. It may change while it runs: what still waits for its turn, waits at its new place.
  /// Work that other requests share has the priority of the most urgent.
  public var priority: ImagePriority {
    get { urgency.value }
    set { urgency.value = newValue }
  }

  /// The download's progress from now on, the latest first; it ends with the task. Each call makes a stream of
  /// its own. A reader that is slow misses intermediate values, never the last.
  public var progress: AsyncStream<LoadProgress> { state.stream() }

  /// The download's latest progress; `nil` before it began, or when nothing had to be downloaded.
  public var currentProgress: LoadProgress? { state.latest }
}

/// The progress of one task, for any number of readers.
private final class ProgressBroadcast: Sendable {
  private struct State {
    var latest: LoadProgress?
    var isFinished = false
    var lastID = 0
    var readers: [Int: AsyncStream<LoadProgress>.Continuation] = [:]
  }

  private let state = Mutex(State())

  var latest: LoadProgress? { state.withLock { $0.latest } }

  @Sendable
  func send(_ progress: LoadProgress) {
    // Under the lock, so that no reader sees values out of order; to yield is only to buffer.
    state.withLock { state in
      state.latest = progress
      for reader in state.readers.values { reader.yield(progress) }
    }
  }

  func finish() {
    let readers = state.withLock { state in
      state.isFinished = true
      defer { state.readers = [:] }
      return state.readers
    }
    for reader in readers.values { reader.finish() }
  }

  func stream() -> AsyncStream<LoadProgress> {
    let (stream, reader) = AsyncStream.makeStream(of: LoadProgress.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state -> Int? in
      if let latest = state.latest { reader.yield(latest) }
      guard !state.isFinished else { return nil }
      state.lastID += 1
      state.readers[state.lastID] = reader
      return state.lastID
    }
    if let id {
      reader.onTermination = { [weak self] _ in
        self?.state.withLock { _ = $0.readers.removeValue(forKey: id) }
      }
    } else {
      reader.finish()
    }
    return stream
  }
}
