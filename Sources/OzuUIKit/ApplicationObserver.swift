#if canImport(UIKit) && !os(watchOS)
  import Ozu
  import UIKit

  /// Tells pipelines what becomes of the app: memory warnings, and its way into the background and back. What they do
  /// then is `ImagePipeline.handle(_:)`.
  ///
  /// The pipelines of views are followed by themselves, from their first picture on. Others can be:
  ///
  /// ```swift
  /// ApplicationObserver.follow(pipeline)
  /// ```
  @MainActor
  public enum ApplicationObserver {
    private static let followers = PipelineFollowers([
      UIApplication.didReceiveMemoryWarningNotification: ApplicationEvent.memoryWarning.handler,
      UIApplication.willEnterForegroundNotification: ApplicationEvent.foreground.handler,
      UIApplication.didEnterBackgroundNotification: { finishInBackground($0) },
    ])

    /// Follows the app for a pipeline as long as that lives. Doing it again does nothing.
    public static func follow(_ pipeline: ImagePipeline) {
      followers.follow(pipeline)
    }

    /// Asks for the time to bring the disk cache to disk. The system calls on a thread that it keeps for us until we
    /// return, and calls again, with `true`, when the time is up: then whoever waits is let go.
    private nonisolated static func finishInBackground(_ pipeline: ImagePipeline) {
      let isDone = DispatchSemaphore(value: 0)
      ProcessInfo.processInfo.performExpiringActivity(withReason: "Ozu: writing the disk cache") {
        isExpired in
        if isExpired {
          isDone.signal()
          return
        }
        Task {
          await pipeline.handle(.background)
          isDone.signal()
        }
        isDone.wait()
      }
    }
  }
#endif
