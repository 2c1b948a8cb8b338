import Foundation

/// Connects pipelines with the notifications of an app. Each pipeline is connected while it lives; this object does
/// not retain it. The adapter of a toolkit has one of these, with a handler for each notification.
@MainActor
package final class PipelineNotifications {
  /// Handles a notification for a pipeline, on the thread that posts it.
  package typealias Handler = @Sendable (ImagePipeline) -> Void

  private let center: NotificationCenter
  private let handlers: [Notification.Name: Handler]
  private var observers: [ObjectIdentifier: Observer] = [:]

  package init(_ handlers: [Notification.Name: Handler], center: NotificationCenter = .default) {
    self.handlers = handlers
    self.center = center
  }

  /// Connects a pipeline with the notifications. A second call does nothing.
  package func follow(_ pipeline: ImagePipeline) {
    observers = observers.filter { $0.value.pipeline != nil }
    let identity = ObjectIdentifier(pipeline)
    guard observers[identity] == nil else { return }
    observers[identity] = Observer(pipeline, of: handlers, center)
  }

  /// The number of connected pipelines, including those that were released after the last call of `follow`.
  package var count: Int { observers.count }

  /// The observations of one pipeline.
  private final class Observer {
    private(set) weak var pipeline: ImagePipeline?
    private let center: NotificationCenter
    private let tokens: [any NSObjectProtocol]

    init(
      _ pipeline: ImagePipeline, of handlers: [Notification.Name: Handler], _ center: NotificationCenter
    ) {
      self.pipeline = pipeline
      self.center = center
      tokens = handlers.map { name, handle in
        center.addObserver(forName: name, object: nil, queue: nil) { [weak pipeline] _ in
          if let pipeline { handle(pipeline) }
        }
      }
    }

    deinit {
      for token in tokens { center.removeObserver(token) }
    }
  }
}

extension ApplicationEvent {
  /// Handles the event in a Swift task.
  package var handler: PipelineNotifications.Handler {
    { pipeline in Task { await pipeline.handle(self) } }
  }
}
