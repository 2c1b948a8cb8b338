import Foundation
import OzuSynchronization

/// A running load of bytes, as `loadData(for:queue:progress:completion:)` starts it.
///
/// It runs whether anybody awaits it or not, and ends exactly once. Cancelling a Swift task that awaits it cancels the
/// load.
public final class ImageDataTask: Sendable {
  /// What is loaded.
  public let request: ImageRequest
  private let urgency: DataUrgency
  private let work: Task<Result<Data, ImageError>, Never>

  init(
    _ request: ImageRequest, pipeline: ImagePipeline, onProgress: (@Sendable (LoadProgress) -> Void)?,
    onEnd: @escaping @Sendable (Result<Data, ImageError>) -> Void
  ) {
    self.request = request
    let urgency = DataUrgency(request.priority)
    self.urgency = urgency
    work = Task.detached {
      let result: Result<Data, ImageError>
      do throws(ImageError) {
        result = .success(try await pipeline.data(for: request, urgency: urgency, onProgress: onProgress))
      } catch {
        result = .failure(error)
      }
      onEnd(result)
      return result
    }
  }

  /// The bytes.
  ///
  /// - Throws: `ImageError`.
  public var data: Data {
    get async throws(ImageError) {
      let result = await withTaskCancellationHandler {
        await work.value
      } onCancel: {
        cancel()
      }
      return try result.get()
    }
  }

  /// Calls the load off. Work that other requests share goes on; a finished task stays as it is.
  public func cancel() { work.cancel() }

  /// How urgent the load is. It may change while it runs: what still waits for its turn, waits at its new place.
  public var priority: ImagePriority {
    get { urgency.level }
    set { urgency.level = newValue }
  }
}

/// How urgent a load of bytes is, for whoever waits in its place: interceptors may try several times.
final class DataUrgency: Sendable {
  private let state: Mutex<(level: ImagePriority, awaiter: JobAwaiter?)>

  init(_ level: ImagePriority) { state = Mutex((level, nil)) }

  var level: ImagePriority {
    get { state.withLock { $0.level } }
    set {
      let awaiter = state.withLock { state in
        state.level = newValue
        return state.awaiter
      }
      awaiter?.level = newValue
    }
  }

  /// One who waits, and hears of changes from now on.
  func awaiter(on runner: JobRunner) -> JobAwaiter {
    let awaiter = JobAwaiter(runner, level)
    state.withLock { $0.awaiter = awaiter }
    awaiter.level = level
    return awaiter
  }
}
