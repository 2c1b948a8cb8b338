import Dispatch
import Foundation

/// One who is told how a task gets on. Told under no lock: observers of a `Progress` run at once, and a reader of a
/// stream is woken on an executor that may be the app's.
///
/// Indirect: few tasks have one, and all others pass on an empty reference instead of a value of streams.
indirect enum TaskFollower: Sendable {
  case events(AsyncStream<ImageTask.Event>.Continuation)
  case progress(AsyncStream<LoadProgress>.Continuation)
  case previews(AsyncStream<ImageResponse>.Continuation)
  case callbacks(
    DispatchQueue, news: (@Sendable (_ progress: LoadProgress?, _ preview: ImageResponse?) -> Void)?,
    completion: @Sendable (Result<ImageResponse, ImageError>) -> Void)
  case foundation(Progress)
  /// The task whose interceptors surround the one that is followed.
  case outer(ImageTask)

  /// Whether it cares for more than the end.
  var wantsNews: Bool {
    if case .callbacks(_, let news, _) = self { news != nil } else { true }
  }

  /// Tells of progress or, with the progress so far, of a preview.
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
    // The task took it in before, under the lock of this one.
    case .outer(let task): task.tellFollowers()
    case .foundation(let report):
      guard let progress else { return }
      report.totalUnitCount = Int64(progress.expectedByteCount ?? -1)
      report.completedUnitCount = Int64(progress.receivedByteCount)
    }
  }

  /// Tells of the size of the picture.
  func receive(_ size: PixelSize) {
    switch self {
    case .events(let stream): stream.yield(.size(size))
    case .outer(let task): task.tellFollowers()
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
    // Its interceptors have the last word.
    case .outer: break
    case .callbacks(let queue, _, let completion): queue.async { completion(outcome) }
    case .foundation(let report):
      guard case .success = outcome else { return }
      let count = max(1, report.completedUnitCount)
      report.totalUnitCount = count
      report.completedUnitCount = count
    }
  }
}
