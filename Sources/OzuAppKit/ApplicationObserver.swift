#if canImport(AppKit)
  import AppKit
  import Ozu

  /// Tells pipelines when the app is hidden and seen again. What they do then is `ImagePipeline.handle(_:)`.
  ///
  /// The pipelines of views are followed by themselves, from their first picture on. Others can be:
  ///
  /// ```swift
  /// ApplicationObserver.follow(pipeline)
  /// ```
  ///
  /// Memory pressure comes to a pipeline without the toolkit, from `SystemMemoryPressure`.
  @MainActor
  public enum ApplicationObserver {
    private static let followers = PipelineFollowers([
      NSApplication.didHideNotification: ApplicationEvent.background.handler,
      NSApplication.didUnhideNotification: ApplicationEvent.foreground.handler,
    ])

    /// Follows the app for a pipeline as long as that lives. Doing it again does nothing.
    public static func follow(_ pipeline: ImagePipeline) {
      followers.follow(pipeline)
    }
  }
#endif
