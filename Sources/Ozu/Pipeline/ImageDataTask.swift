import Foundation
import OzuSynchronization

/// A running load of bytes, as `loadData(for:queue:progress:completion:)` starts it.
///
/// It runs even if no code awaits it, and ends exactly once. Cancelling a Swift task that awaits it cancels the load.
public final class ImageDataTask: Sendable {
  /// The request.
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

  /// Cancels the load. Work that other requests share continues; a finished task does not change.
  public func cancel() { work.cancel() }

  /// The priority of the load. It may change while the load runs: work that still waits in a queue moves to its new
  /// place.
  public var priority: ImagePriority {
    get { urgency.level }
    set { urgency.level = newValue }
  }
}

/// The priority of a load of bytes. It is passed to the current awaiter, because interceptors may try several loads.
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

  /// Makes an awaiter, and passes later changes of the priority to it.
  func awaiter(on runner: JobRunner) -> JobAwaiter {
    let awaiter = JobAwaiter(runner, level)
    state.withLock { $0.awaiter = awaiter }
    awaiter.level = level
    return awaiter
  }
}
