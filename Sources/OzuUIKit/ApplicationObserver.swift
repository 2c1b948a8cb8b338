#if canImport(UIKit) && !os(watchOS)
  import Ozu
  import OzuSynchronization
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
    private static var followed: [ObjectIdentifier: Observation] = [:]

    /// Follows the app for a pipeline as long as that lives. Doing it again does nothing.
    public static func follow(_ pipeline: ImagePipeline) {
      followed = followed.filter { $0.value.pipeline != nil }
      let identity = ObjectIdentifier(pipeline)
      guard followed[identity] == nil else { return }
      followed[identity] = Observation(pipeline)
    }

    /// The notifications of one pipeline.
    private final class Observation {
      private(set) weak var pipeline: ImagePipeline?
      private var tokens: [any NSObjectProtocol] = []

      init(_ pipeline: ImagePipeline) {
        self.pipeline = pipeline
        observe(UIApplication.didReceiveMemoryWarningNotification) { await $0.handle(.memoryWarning) }
        observe(UIApplication.willEnterForegroundNotification) { await $0.handle(.foreground) }
        let token = NotificationCenter.default.addObserver(
          forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: nil
        ) { [weak pipeline] _ in
          if let pipeline { Self.finishInBackground(pipeline) }
        }
        tokens.append(token)
      }

      deinit {
        for token in tokens { NotificationCenter.default.removeObserver(token) }
      }

      private func observe(
        _ name: NSNotification.Name, _ handle: @escaping @Sendable (ImagePipeline) async -> Void
      ) {
        let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
          [weak pipeline] _ in
          guard let pipeline else { return }
          Task { await handle(pipeline) }
        }
        tokens.append(token)
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
  }
#endif
