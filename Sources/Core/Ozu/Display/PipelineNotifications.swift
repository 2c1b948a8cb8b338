#if canImport(Darwin)
  import Foundation
#endif

/// An event of the whole app that matters to its pipelines. The adapters of toolkits report it.
public enum ApplicationEvent: Hashable, Sendable {
  /// The system is short of memory.
  case memoryWarning
  /// The app is no longer visible, and may be stopped at any time.
  case background
  /// The app is visible again.
  case foreground
}

/// What is told: each call of the closure is one notification, on the thread that posts it. The result ends that.
package struct NotificationSource: Sendable {
  let observe: @Sendable (_ receive: @escaping @Sendable () -> Void) -> @Sendable () -> Void

  package init(
    _ observe: @escaping @Sendable (_ receive: @escaping @Sendable () -> Void) -> @Sendable () -> Void
  ) {
    self.observe = observe
  }

  #if canImport(Darwin)
    /// A notification of Foundation. Elsewhere it would bring the whole of Foundation into each app.
    package init(_ name: Notification.Name, _ center: NotificationCenter = .default) {
      self.init { receive in
        let token = center.addObserver(forName: name, object: nil, queue: nil) { _ in receive() }
        // Only handed back.
        nonisolated(unsafe) let observer = token
        return { center.removeObserver(observer) }
      }
    }
  #endif
}

/// Connects pipelines with the notifications of an app. Each pipeline is connected while it lives; this object does
/// not retain it. The adapter of a toolkit has one of these, with a handler for each notification.
@MainActor
package final class PipelineNotifications {
  /// Handles a notification for a pipeline, on the thread that posts it.
  package typealias Handler = @Sendable (ImagePipeline) -> Void

  private let handlers: [(NotificationSource, Handler)]
  private var observers: [ObjectIdentifier: Observer] = [:]

  package init(_ handlers: [(NotificationSource, Handler)]) {
    self.handlers = handlers
  }

  /// Connects a pipeline with the notifications. A second call does nothing.
  package func follow(_ pipeline: ImagePipeline) {
    observers = observers.filter { $0.value.pipeline != nil }
    let identity = ObjectIdentifier(pipeline)
    guard observers[identity] == nil else { return }
    observers[identity] = Observer(pipeline, of: handlers)
  }

  /// The number of connected pipelines, including those that were released after the last call of `follow`.
  package var count: Int { observers.count }

  /// The observations of one pipeline.
  private final class Observer {
    private(set) weak var pipeline: ImagePipeline?
    private let endings: [@Sendable () -> Void]

    init(_ pipeline: ImagePipeline, of handlers: [(NotificationSource, Handler)]) {
      self.pipeline = pipeline
      endings = handlers.map { source, handle in
        source.observe { [weak pipeline] in
          if let pipeline { handle(pipeline) }
        }
      }
    }

    deinit {
      for end in endings { end() }
    }
  }
}

extension ApplicationEvent {
  /// Handles the event in a Swift task.
  package var handler: PipelineNotifications.Handler {
    { pipeline in
      let number = pipeline.note(self)
      Task { await pipeline.handle(self, number: number) }
    }
  }
}
