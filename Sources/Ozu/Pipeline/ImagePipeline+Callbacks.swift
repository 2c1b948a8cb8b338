import Dispatch
import Foundation

extension ImagePipeline {
  /// Loads a request and calls back, for code that does not await.
  ///
  /// ```swift
  /// pipeline.loadImage(for: request) { result in
  ///   if case .success(let response) = result { show(response.picture) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - queue: where the closures are called; the main queue by default.
  ///   - progress: called as bytes arrive.
  ///   - preview: called when a part of the picture can be shown.
  ///   - completion: called once, after the last progress; also when the task is cancelled, with `ImageError.cancelled`.
  ///     For a caller on the same serial queue it is never called before this function has returned.
  /// - Returns: the task, to cancel it or to change its priority. It need not be kept.
  @discardableResult
  public func loadImage(
    for request: ImageRequest, queue: DispatchQueue = .main,
    progress: (@Sendable (LoadProgress) -> Void)? = nil,
    preview: (@Sendable (ImageResponse) -> Void)? = nil,
    completion: @escaping @Sendable (Result<ImageResponse, ImageError>) -> Void
  ) -> ImageTask {
    guard progress != nil || preview != nil else {
      return loadImage(for: request, queue: queue, reporting: nil, completion: completion)
    }
    return loadImage(
      for: request, queue: queue,
      reporting: { received, part in
        if let part {
          preview?(part)
        } else if let received {
          progress?(received)
        }
      },
      completion: completion)
  }

  /// Loads a URL at its own size and calls back.
  @discardableResult
  public func loadImage(
    for url: URL, queue: DispatchQueue = .main,
    progress: (@Sendable (LoadProgress) -> Void)? = nil,
    preview: (@Sendable (ImageResponse) -> Void)? = nil,
    completion: @escaping @Sendable (Result<ImageResponse, ImageError>) -> Void
  ) -> ImageTask {
    loadImage(
      for: ImageRequest(url: url), queue: queue, progress: progress, preview: preview, completion: completion)
  }

  /// Loads a request and calls back.
  ///
  /// - Parameter progress: called with the progress so far, and with a preview when there is one.
  package func loadImage(
    for request: ImageRequest, queue: DispatchQueue,
    reporting progress: (@Sendable (_ progress: LoadProgress?, _ preview: ImageResponse?) -> Void)?,
    completion: @escaping @Sendable (Result<ImageResponse, ImageError>) -> Void
  ) -> ImageTask {
    task(
      for: request,
      subscriber: AnswerSubscriber(wantsProgress: progress != nil) { event in
        switch event {
        case .progress(let received): if let progress { queue.async { progress(received, nil) } }
        case .preview(let part, let received): if let progress { queue.async { progress(received, part) } }
        case .size: break
        case .finished(let result): queue.async { completion(result) }
        }
      })
  }

  /// Loads the bytes of a request and calls back.
  ///
  /// - Parameters:
  ///   - queue: where both closures are called; the main queue by default.
  ///   - progress: called as bytes arrive.
  ///   - completion: called once, asynchronously, and after the last progress; also when the task is cancelled.
  /// - Returns: the task, to cancel it or to change its priority. It need not be kept.
  @discardableResult
  public func loadData(
    for request: ImageRequest, queue: DispatchQueue = .main,
    progress: (@Sendable (LoadProgress) -> Void)? = nil,
    completion: @escaping @Sendable (Result<Data, ImageError>) -> Void
  ) -> ImageDataTask {
    let task = ImageDataTask(
      request, pipeline: self,
      subscriber: AnswerSubscriber(wantsProgress: progress != nil) { event in
        switch event {
        case .progress(let received): if let progress { queue.async { progress(received) } }
        case .finished(let result): queue.async { completion(result) }
        case .size, .preview: break
        }
      })
    task.run()
    return task
  }

  /// Loads the bytes of a URL and calls back.
  @discardableResult
  public func loadData(
    for url: URL, queue: DispatchQueue = .main,
    progress: (@Sendable (LoadProgress) -> Void)? = nil,
    completion: @escaping @Sendable (Result<Data, ImageError>) -> Void
  ) -> ImageDataTask {
    loadData(for: ImageRequest(url: url), queue: queue, progress: progress, completion: completion)
  }
}
