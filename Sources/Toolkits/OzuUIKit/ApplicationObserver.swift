#if canImport(UIKit)
  import Ozu
  import UIKit

  /// Tells pipelines about events of the app: memory warnings, and when it enters the background or the foreground. They
  /// respond with `ImagePipeline.handle(_:)`.
  ///
  /// The pipelines of views are added automatically with their first picture. To add others:
  ///
  /// ```swift
  /// ApplicationObserver.follow(pipeline)
  /// ```
  @MainActor
  public enum ApplicationObserver {
    private static let notifications = PipelineNotifications([
      (
        NotificationSource(UIApplication.didReceiveMemoryWarningNotification),
        ApplicationEvent.memoryWarning.handler
      ),
      (
        NotificationSource(UIApplication.willEnterForegroundNotification), ApplicationEvent.foreground.handler
      ),
      (
        NotificationSource(UIApplication.didEnterBackgroundNotification),
        { @Sendable in finishInBackground($0) }
      ),
    ])

    /// Tells a pipeline about events of the app, as long as the pipeline lives. Another call for it has no effect.
    public static func follow(_ pipeline: ImagePipeline) {
      notifications.follow(pipeline)
    }

    /// Writes the disk cache, and asks the system for the time. The system calls the closure on a thread of its own, which waits
    /// for the writing, and calls it again with `true` when the time is up, which ends the wait. If it grants no time, it calls
    /// it with `true` alone: the work has begun nevertheless, as the lock of a shared folder must be given back.
    private nonisolated static func finishInBackground(_ pipeline: ImagePipeline) {
      let number = pipeline.note(.background)
      let isDone = DispatchSemaphore(value: 0)
      Task {
        await pipeline.handle(.background, number: number)
        isDone.signal()
      }
      ProcessInfo.processInfo.performExpiringActivity(withReason: "Ozu: writing the disk cache") {
        isExpired in
        if isExpired { isDone.signal() } else { isDone.wait() }
      }
    }
  }
#endif
