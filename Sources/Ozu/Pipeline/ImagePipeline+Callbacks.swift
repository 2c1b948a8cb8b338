import Dispatch
import Foundation
import OzuSynchronization

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
    task(for: request, subscriber: .callbacks(queue, progress: progress, completion: completion))
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
    var onProgress: (@Sendable (LoadProgress) -> Void)?
    if let progress {
      onProgress = { value in queue.async { progress(value) } }
    }
    return ImageDataTask(
      request, pipeline: self, onProgress: onProgress,
      onEnd: { result in queue.async { completion(result) } })
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

/// A running load of bytes, as `loadData(for:queue:progress:completion:)` starts it.
///
/// It runs even if no code awaits it, and ends exactly once. Cancelling a Swift task that awaits it cancels the load.
public final class ImageDataTask: Sendable {
  /// The request.
  public let request: ImageRequest
  private let urgency: DataUrgency
  private let reports: DataProgress
  private let work: Task<Result<Data, ImageError>, Never>

  init(
    _ request: ImageRequest, pipeline: ImagePipeline, onProgress: (@Sendable (LoadProgress) -> Void)?,
    onEnd: @escaping @Sendable (Result<Data, ImageError>) -> Void
  ) {
    self.request = request
    let (urgency, reports) = (DataUrgency(request.priority), DataProgress())
    (self.urgency, self.reports) = (urgency, reports)
    work = Task.detached { [place = HeldPlace.current] in
      let result = await HeldPlace.$current.withValue(place) { () async -> Result<Data, ImageError> in
        do throws(ImageError) {
          let data = try await pipeline.data(for: request, urgency: urgency) { progress in
            reports.receive(progress)
            onProgress?(progress)
          }
          return .success(data)
        } catch {
          return .failure(error)
        }
      }
      reports.finish()
      onEnd(result)
      return result
    }
  }

  /// The bytes.
  ///
  /// - Throws: `ImageError`.
  public var data: Data {
    get async throws(ImageError) {
      let result = await HeldPlace.lend {
        await withTaskCancellationHandler {
          await work.value
        } onCancel: {
          cancel()
        }
      }
      return try result.get()
    }
  }

  /// Cancels the load. Work that other requests share continues; a finished task does not change.
  public func cancel() { work.cancel() }

  /// The progress of the download, beginning with the latest value. The stream ends with the task. Each call makes a
  /// new stream. A slow reader misses intermediate values, never the last.
  public var progress: AsyncStream<LoadProgress> { reports.stream() }

  /// The latest progress of the download; `nil` before it began, or if nothing had to be downloaded.
  public var currentProgress: LoadProgress? { reports.latest }

  /// The progress of the download in bytes, for views and code that use Foundation's `Progress`. It is indeterminate
  /// while the length is not known, and complete when the bytes are available. Cancelling it cancels the load. Every
  /// call returns the same object, which has no parent until the app gives it one.
  public var foundationProgress: Progress {
    let (report, isNew) = reports.foundationProgress { [weak self] in self?.cancel() }
    guard isNew else { return report }
    let progress = progress
    Task.detached { [work] in
      for await value in progress { report.show(value) }
      if case .success = await work.value { report.showEnd() }
    }
    return report
  }

  /// The priority of the load. It may change while the load runs: work that still waits in a queue moves to its new
  /// place.
  public var priority: ImagePriority {
    get { urgency.level }
    set { urgency.level = newValue }
  }
}

/// The progress of a load of bytes. One lock guards the state; readers are woken on a queue, because their executors may be
/// the app's.
private final class DataProgress: Sendable {
  private struct State {
    var latest: LoadProgress?
    var streams: [Int: AsyncStream<LoadProgress>.Continuation] = [:]
    var lastStream = 0
    var isOver = false
    var foundationProgress: Progress?
  }

  private let state = Mutex(State())
  private static let queue = DispatchQueue(label: "ozu.data-progress")

  var latest: LoadProgress? { state.withLock { $0.latest } }

  func receive(_ progress: LoadProgress) {
    state.withLock { state in
      state.latest = progress
      if state.streams.isEmpty { return }
      // Under the lock, so that the queue has the values in their order.
      Self.queue.async { [streams = state.streams.values] in for stream in streams { stream.yield(progress) }
      }
    }
  }

  func finish() {
    state.withLock { state in
      state.isOver = true
      Self.queue.async { [streams = state.streams.values] in for stream in streams { stream.finish() } }
      state.streams = [:]
    }
  }

  func stream() -> AsyncStream<LoadProgress> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: LoadProgress.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      state.lastStream += 1
      if !state.isOver { state.streams[state.lastStream] = continuation }
      Self.queue.async { [latest = state.latest, isOver = state.isOver] in
        if let latest { continuation.yield(latest) }
        if isOver { continuation.finish() }
      }
      return state.lastStream
    }
    continuation.onTermination = { [weak self] _ in
      // Released outside the lock.
      _ = self?.state.withLock { $0.streams.removeValue(forKey: id) }
    }
    return stream
  }

  /// The one object, and whether this call has made it.
  func foundationProgress(cancel: @escaping @Sendable () -> Void) -> (Progress, isNew: Bool) {
    state.withLock { state in
      if let report = state.foundationProgress { return (report, false) }
      let report = Progress.ofDownload(cancel: cancel)
      state.foundationProgress = report
      return (report, true)
    }
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
