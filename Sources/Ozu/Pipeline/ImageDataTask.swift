import Foundation

/// A running load of bytes, as `loadData(with:)` starts it.
///
/// It runs whether anybody awaits it or not, and ends exactly once. Cancelling a Swift task that awaits it cancels the
/// load.
public final class ImageDataTask: Sendable {
  /// What is loaded.
  public let request: ImageRequest
  private let urgency: PriorityCell
  private let work: Task<Result<Data, ImageError>, Never>

  init(
    _ request: ImageRequest, pipeline: ImagePipeline, onProgress: (@Sendable (LoadProgress) -> Void)?,
    onEnd: @escaping @Sendable (Result<Data, ImageError>) -> Void
  ) {
    self.request = request
    let urgency = PriorityCell(request.priority)
    self.urgency = urgency
    work = Task.detached {
      let result: Result<Data, ImageError>
      do throws(ImageError) {
        result = .success(
          try await pipeline.data(for: request, priority: .changing(urgency), onProgress: onProgress))
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
    get { urgency.value }
    set { urgency.value = newValue }
  }
}
