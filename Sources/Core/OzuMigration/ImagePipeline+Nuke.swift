import Dispatch
import Foundation
import Ozu

/// Nuke's calls with closures. In Ozu they are `loadImage(for:queue:progress:preview:completion:)` and
/// `loadData(for:queue:progress:completion:)`.
extension ImagePipeline {
  /// Loads a request and calls back.
  ///
  /// - Parameters:
  ///   - queue: where both closures are called; the main queue for `nil`, the default.
  ///   - progress: called as bytes arrive, with the bytes so far and the bytes expected (0 when the server did not
  ///     say), and with a response when a part of the picture can be shown.
  ///   - completion: called once, after the last progress; also when the task is cancelled, with `ImageError.cancelled`.
  /// - Returns: the task, to cancel it or to change its priority. It need not be kept.
  @discardableResult
  public func loadImage(
    with request: ImageRequest, queue: DispatchQueue? = nil,
    progress: (@Sendable (_ preview: ImageResponse?, _ received: Int64, _ expected: Int64) -> Void)? = nil,
    completion: @escaping @Sendable (Result<ImageResponse, ImageError>) -> Void
  ) -> ImageTask {
    var reporting: (@Sendable (LoadProgress?, ImageResponse?) -> Void)?
    if let progress {
      reporting = { progress($1, $0?.received ?? 0, $0?.expected ?? 0) }
    }
    return loadImage(for: request, queue: queue ?? .main, reporting: reporting, completion: completion)
  }

  /// Loads a URL at its own size and calls back.
  @discardableResult
  public func loadImage(
    with url: URL, queue: DispatchQueue? = nil,
    progress: (@Sendable (_ preview: ImageResponse?, _ received: Int64, _ expected: Int64) -> Void)? = nil,
    completion: @escaping @Sendable (Result<ImageResponse, ImageError>) -> Void
  ) -> ImageTask {
    loadImage(with: ImageRequest(url: url), queue: queue, progress: progress, completion: completion)
  }

  /// Loads the bytes of a request and calls back.
  ///
  /// - Parameters:
  ///   - queue: where both closures are called; the main queue for `nil`, the default.
  ///   - progress: called as bytes arrive, with the bytes so far and the bytes expected; 0 when the server did not
  ///     say.
  ///   - completion: called once, asynchronously, and after the last progress; also when the task is cancelled.
  /// - Returns: the task, to cancel it or to change its priority. It need not be kept.
  @discardableResult
  public func loadData(
    with request: ImageRequest, queue: DispatchQueue? = nil,
    progress: (@Sendable (_ received: Int64, _ expected: Int64) -> Void)? = nil,
    completion: @escaping @Sendable (Result<Data, ImageError>) -> Void
  ) -> ImageDataTask {
    var onProgress: (@Sendable (LoadProgress) -> Void)?
    if let progress {
      onProgress = { progress($0.received, $0.expected) }
    }
    return loadData(for: request, queue: queue ?? .main, progress: onProgress, completion: completion)
  }

  /// Loads the bytes of a URL and calls back.
  @discardableResult
  public func loadData(
    with url: URL, queue: DispatchQueue? = nil,
    progress: (@Sendable (_ received: Int64, _ expected: Int64) -> Void)? = nil,
    completion: @escaping @Sendable (Result<Data, ImageError>) -> Void
  ) -> ImageDataTask {
    loadData(with: ImageRequest(url: url), queue: queue, progress: progress, completion: completion)
  }
}

extension LoadProgress {
  fileprivate var received: Int64 { Int64(receivedByteCount) }
  fileprivate var expected: Int64 { Int64(expectedByteCount ?? 0) }
}
