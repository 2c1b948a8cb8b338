import Dispatch
import Foundation

/// A receiver of a task's events. It is called outside all locks: observers of a `Progress` run at once, and the
/// reader of a stream is woken on an executor that may be the app's.
///
/// Indirect: few tasks have a subscriber, and all others then pass on an empty reference instead of a large value.
indirect enum TaskSubscriber: Sendable {
  case events(AsyncStream<ImageTask.Event>.Continuation)
  case progress(AsyncStream<LoadProgress>.Continuation)
  case previews(AsyncStream<ImageResponse>.Continuation)
  case callbacks(
    DispatchQueue, progress: (@Sendable (_ progress: LoadProgress?, _ preview: ImageResponse?) -> Void)?,
    completion: @Sendable (Result<ImageResponse, ImageError>) -> Void)
  case foundation(Progress)
  /// The outer task, whose interceptors run the inner task that is subscribed to.
  case outer(ImageTask)

  /// Whether it wants more than the end.
  var wantsProgress: Bool {
    if case .callbacks(_, let progress, _) = self { progress != nil } else { true }
  }

  /// Reports progress or, together with the progress so far, a preview.
  func receive(_ progress: LoadProgress?, preview: ImageResponse?) {
    switch self {
    case .events(let stream):
      if let preview {
        stream.yield(.preview(preview))
      } else if let progress {
        stream.yield(.progress(progress))
      }
    case .progress(let stream):
      if preview == nil, let progress { stream.yield(progress) }
    case .previews(let stream):
      if let preview { stream.yield(preview) }
    case .callbacks(let queue, let report, _):
      guard let report else { return }
      queue.async { report(progress, preview) }
    // The outer task has already taken over the event, under the lock of the inner one.
    case .outer(let task): task.deliverEvents()
    case .foundation(let report):
      if let progress { report.show(progress) }
    }
  }

  /// Reports the size of the picture.
  func receive(_ size: PixelSize) {
    switch self {
    case .events(let stream): stream.yield(.size(size))
    case .outer(let task): task.deliverEvents()
    case .progress, .previews, .callbacks, .foundation: break
    }
  }

  func finish(_ outcome: Result<ImageResponse, ImageError>) {
    switch self {
    case .events(let stream):
      stream.yield(.finished(outcome))
      stream.finish()
    case .progress(let stream): stream.finish()
    case .previews(let stream): stream.finish()
    // The outer task ends when its interceptors return.
    case .outer: break
    case .callbacks(let queue, _, let completion): queue.async { completion(outcome) }
    case .foundation(let report):
      if case .success = outcome { report.showEnd() }
    }
  }
}

extension Progress {
  /// The progress of a download whose length is not known yet.
  static func ofDownload(cancel: @escaping @Sendable () -> Void) -> Progress {
    let report = Progress.discreteProgress(totalUnitCount: -1)
    report.isCancellable = true
    report.isPausable = false
    report.cancellationHandler = cancel
    return report
  }

  func show(_ progress: LoadProgress) {
    totalUnitCount = Int64(progress.expectedByteCount ?? -1)
    completedUnitCount = Int64(progress.receivedByteCount)
  }

  /// Shows that the download is complete.
  func showEnd() {
    let count = max(1, completedUnitCount)
    totalUnitCount = count
    completedUnitCount = count
  }
}
