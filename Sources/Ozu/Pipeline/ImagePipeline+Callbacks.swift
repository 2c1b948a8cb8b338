import Dispatch
import Foundation

extension ImagePipeline {
  /// Loads a request and calls back, for code that does not await.
  ///
  /// ```swift
  /// pipeline.loadImage(with: request) { result in
  ///   if case .success(let response) = result { show(response.picture) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - queue: where both closures are called; the main queue by default.
  ///   - progress: called as bytes arrive, with the bytes so far and the bytes expected (0 when the server did not
  ///     say), and with a response when a part of the picture can be shown.
  ///   - completion: called once, never before this function has returned to a caller on the same serial queue, and
  ///     after the last progress.
  /// - Returns: the task, to cancel it or to change its priority. It need not be kept.
  @discardableResult
  public func loadImage(
    with request: ImageRequest, queue: DispatchQueue = .main,
    progress: (@Sendable (_ preview: ImageResponse?, _ received: Int64, _ expected: Int64) -> Void)? = nil,
    completion: @escaping @Sendable (Result<ImageResponse, ImageError>) -> Void
  ) -> ImageTask {
    task(for: request, subscriber: .callbacks(queue, progress: progress, completion: completion))
  }

  /// Loads a URL at its own size and calls back.
  @discardableResult
  public func loadImage(
    with url: URL, queue: DispatchQueue = .main,
    progress: (@Sendable (_ preview: ImageResponse?, _ received: Int64, _ expected: Int64) -> Void)? = nil,
    completion: @escaping @Sendable (Result<ImageResponse, ImageError>) -> Void
  ) -> ImageTask {
    loadImage(with: ImageRequest(url: url), queue: queue, progress: progress, completion: completion)
  }

  /// Loads the bytes of a request and calls back.
  ///
  /// - Parameters:
  ///   - queue: where both closures are called; the main queue by default.
  ///   - progress: called as bytes arrive, with the bytes so far and the bytes expected; 0 when the server did not
  ///     say.
  ///   - completion: called once, asynchronously, and after the last progress.
  /// - Returns: the task, to cancel it or to change its priority. It need not be kept.
  @discardableResult
  public func loadData(
    with request: ImageRequest, queue: DispatchQueue = .main,
    progress: (@Sendable (_ received: Int64, _ expected: Int64) -> Void)? = nil,
    completion: @escaping @Sendable (Result<Data, ImageError>) -> Void
  ) -> ImageDataTask {
    var onProgress: (@Sendable (LoadProgress) -> Void)?
    if let progress {
      onProgress = { value in
        let received = Int64(value.receivedByteCount)
        let expected = Int64(value.expectedByteCount ?? 0)
        queue.async { progress(received, expected) }
      }
    }
    return ImageDataTask(
      request, pipeline: self, onProgress: onProgress,
      onEnd: { result in queue.async { completion(result) } })
  }

  /// Loads the bytes of a URL and calls back.
  @discardableResult
  public func loadData(
    with url: URL, queue: DispatchQueue = .main,
    progress: (@Sendable (_ received: Int64, _ expected: Int64) -> Void)? = nil,
    completion: @escaping @Sendable (Result<Data, ImageError>) -> Void
  ) -> ImageDataTask {
    loadData(with: ImageRequest(url: url), queue: queue, progress: progress, completion: completion)
  }
}
