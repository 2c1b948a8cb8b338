import Foundation

/// The pipelines that hear of an app's notifications, each for as long as it lives. An adapter of a toolkit has one of
/// these, with what it wants done at which notification; it does not keep the pipelines.
@MainActor
package final class PipelineFollowers {
  /// What a pipeline does at a notification, on the thread that posts it.
  package typealias Handler = @Sendable (ImagePipeline) -> Void

  private let center: NotificationCenter
  private let handlers: [Notification.Name: Handler]
  private var followers: [ObjectIdentifier: Follower] = [:]

  package init(_ handlers: [Notification.Name: Handler], center: NotificationCenter = .default) {
    self.handlers = handlers
    self.center = center
  }

  /// Has a pipeline hear of the notifications. Doing it again does nothing.
  package func follow(_ pipeline: ImagePipeline) {
    followers = followers.filter { $0.value.pipeline != nil }
    let identity = ObjectIdentifier(pipeline)
    guard followers[identity] == nil else { return }
    followers[identity] = Follower(pipeline, of: handlers, center)
  }

  /// How many pipelines are followed, those that are gone since the last call of `follow` included.
  package var count: Int { followers.count }

  /// The observations of one pipeline.
  private final class Follower {
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
  /// Has a pipeline handle the event in a task of its own.
  package var handler: PipelineFollowers.Handler {
    { pipeline in Task { await pipeline.handle(self) } }
  }
}
