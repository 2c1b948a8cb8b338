#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
  import Ozu

  /// Tells pipelines when the app is hidden and shown again. They respond with `ImagePipeline.handle(_:)`.
  ///
  /// The pipelines of views are added automatically with their first picture. To add others:
  ///
  /// ```swift
  /// ApplicationObserver.follow(pipeline)
  /// ```
  ///
  /// A pipeline learns about memory pressure without the toolkit, from `SystemMemoryPressure`.
  @MainActor
  public enum ApplicationObserver {
    private static let notifications = PipelineNotifications([
      (NotificationSource(NSApplication.didHideNotification), ApplicationEvent.background.handler),
      (NotificationSource(NSApplication.didUnhideNotification), ApplicationEvent.foreground.handler),
    ])

    /// Tells a pipeline about events of the app, as long as the pipeline lives. Another call for it has no effect.
    public static func follow(_ pipeline: ImagePipeline) {
      notifications.follow(pipeline)
    }
  }
#endif
