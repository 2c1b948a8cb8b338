import Dispatch
import Foundation

extension ImagePipeline {
  /// Loads a request and calls back, for code that does not await.
  ///
  /// - Parameters:
  ///   - queue: where both closures are called; the main queue by default.
  ///   - progress: called as bytes arrive.
  ///   - completion: called once, never before this function has returned, and after the last progress.
  /// - Returns: the task, to cancel it or to change its priority. It need not be kept.
  @discardableResult
  public func loadImage(
    with request: ImageRequest, queue: DispatchQueue = .main,
    progress: (@Sendable (LoadProgress) -> Void)? = nil,
    completion: @escaping @Sendable (Result<ImageResponse, ImageError>) -> Void
  ) -> ImageTask {
    let task = task(for: request)
    Task.detached {
      if let progress {
        for await value in task.progress { queue.async { progress(value) } }
      }
      let result: Result<ImageResponse, ImageError>
      do throws(ImageError) {
        result = .success(try await task.response)
      } catch {
        result = .failure(error)
      }
      queue.async { completion(result) }
    }
    return task
  }

  /// Loads a URL at its own size and calls back.
  @discardableResult
  public func loadImage(
    with url: URL, queue: DispatchQueue = .main,
    completion: @escaping @Sendable (Result<ImageResponse, ImageError>) -> Void
  ) -> ImageTask {
    loadImage(with: ImageRequest(url: url), queue: queue, completion: completion)
  }

  /// Loads the bytes of a request and calls back.
  ///
  /// - Returns: the Swift task of the load, to cancel it. It need not be kept.
  @discardableResult
  public func loadData(
    with request: ImageRequest, queue: DispatchQueue = .main,
    completion: @escaping @Sendable (Result<Data, ImageError>) -> Void
  ) -> Task<Void, Never> {
    Task.detached {
      let result: Result<Data, ImageError>
      do throws(ImageError) {
        result = .success(try await self.data(for: request))
      } catch {
        result = .failure(error)
      }
      queue.async { completion(result) }
    }
  }
}
