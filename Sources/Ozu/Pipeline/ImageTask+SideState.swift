import Dispatch
import Foundation

extension ImageTask {
  /// The rarely needed state of a task (subscribers, previews, interceptors). It is allocated on first use, so that
  /// ten thousand tasks that only wait stay small.
  final class SideState: @unchecked Sendable {
    // Unchecked: accessed only under the lock of its task.

    /// The request as reported to observers; `nil` if there are none, or if the task is the inner one of an
    /// intercepted task.
    var observed: ObservedRequest?
    var preview: ImageResponse?
    /// The size of the picture of the source, once it is known.
    var size: PixelSize?
    var furtherWaiters: [UnsafeContinuation<Void, Never>] = []
    var subscribers: [(id: Int, subscriber: TaskSubscriber)] = []
    var lastSubscriberID = 0
    /// The events that have not been delivered yet, in order.
    var pendingEvents: [SubscriberEvent] = []
    /// Whether a thread is delivering events.
    var isDelivering = false
    /// Created on first use.
    var foundationProgress: Progress?
    /// The error of the first source, and how many alternatives have been tried.
    var failure: (error: ImageError, triedCount: Int)?
    /// The Swift tasks that end with this task: the interceptors and the deadline.
    var auxiliaryTasks: [Task<Void, Never>] = []
    /// The place of the fetcher that made the task, if one did.
    var place: HeldPlace?
    /// The inner task, which the interceptors run.
    var inner: ImageTask?

    /// Adds a progress event for all subscribers.
    func enqueue(_ progress: LoadProgress?, preview: ImageResponse?) {
      for (_, subscriber) in subscribers {
        pendingEvents.append(.progress(subscriber, progress, preview))
        // Under the lock of the inner task, so that the outer one has the same progress before either ends.
        if case .outer(let task) = subscriber { task.relay(progress, preview: preview) }
      }
    }

    /// Adds an event with the size of the picture for all subscribers.
    func enqueue(size: PixelSize) {
      self.size = size
      for (_, subscriber) in subscribers {
        pendingEvents.append(.size(subscriber, size))
        if case .outer(let task) = subscriber { task.relay(size: size) }
      }
    }

    /// Removes all subscribers and waiters, and returns those to notify of the end. If there are subscribers, the
    /// waiters resume after them, through an event.
    func takeEndRecipients(_ waiter: UnsafeContinuation<Void, Never>?, _ ending: Ending) -> EndRecipients {
      var waiters = furtherWaiters
      if let waiter { waiters.append(waiter) }
      if !subscribers.isEmpty {
        pendingEvents.append(.end(subscribers.map(\.subscriber), ending))
        pendingEvents.append(.resume(waiters))
        waiters = []
      }
      defer { (furtherWaiters, subscribers, auxiliaryTasks, inner) = ([], [], [], nil) }
      return EndRecipients(
        observed: observed, waiters: waiters, subscribers: subscribers, auxiliaryTasks: auxiliaryTasks,
        inner: inner)
    }
  }

  /// An event that is delivered outside the lock.
  enum SubscriberEvent {
    case progress(TaskSubscriber, LoadProgress?, ImageResponse?)
    case size(TaskSubscriber, PixelSize)
    case end([TaskSubscriber], Ending)
    case resume([UnsafeContinuation<Void, Never>])
  }

  /// The objects to notify when the task ends. An object, so that a task without side state copies nothing of it.
  final class EndRecipients: Sendable {
    let observed: ObservedRequest?
    /// The waiters that resume at once.
    let waiters: [UnsafeContinuation<Void, Never>]
    /// Released outside the lock.
    let subscribers: [(id: Int, subscriber: TaskSubscriber)]
    let auxiliaryTasks: [Task<Void, Never>]
    /// Released outside the lock.
    let inner: ImageTask?

    init(
      observed: ObservedRequest?, waiters: [UnsafeContinuation<Void, Never>],
      subscribers: [(id: Int, subscriber: TaskSubscriber)], auxiliaryTasks: [Task<Void, Never>],
      inner: ImageTask?
    ) {
      self.observed = observed
      self.waiters = waiters
      self.subscribers = subscribers
      self.auxiliaryTasks = auxiliaryTasks
      self.inner = inner
    }
  }
}

extension ImageTask.State {
  /// The side state, created if necessary.
  mutating func makeSideState() -> ImageTask.SideState {
    if let sideState { return sideState }
    let new = ImageTask.SideState()
    sideState = new
    return new
  }
}

extension ImageTask {
  /// Delivers the pending events to the subscribers, in order. Called outside all locks: observers of a `Progress`
  /// are code of the app, and so may be the executor of a task that reads a stream.
  ///
  /// One thread at a time delivers. A second thread that calls this returns, and the first one delivers its events
  /// too; the same holds for code of the app that calls the task while it receives an event.
  func deliverEvents() {
    guard state.withLock({ $0.sideState?.beginDelivery() ?? false }) else { return }
    while let events = state.withLock({ $0.sideState?.takePendingEvents() }) {
      for event in events { deliver(event) }
    }
  }

  private func deliver(_ event: SubscriberEvent) {
    switch event {
    case .progress(let subscriber, let progress, let preview): subscriber.receive(progress, preview: preview)
    case .size(let subscriber, let size): subscriber.receive(size)
    case .end(let subscribers, let ending):
      let outcome = outcome(of: ending)
      for subscriber in subscribers { subscriber.finish(outcome) }
    case .resume(let waiters): for waiter in waiters { waiter.resume() }
    }
  }
}

extension ImageTask.SideState {
  fileprivate func beginDelivery() -> Bool {
    guard !isDelivering, !pendingEvents.isEmpty else { return false }
    isDelivering = true
    return true
  }

  /// The pending events; `nil` if there are none, which ends the delivery.
  fileprivate func takePendingEvents() -> [ImageTask.SubscriberEvent]? {
    defer { pendingEvents = [] }
    guard pendingEvents.isEmpty else { return pendingEvents }
    isDelivering = false
    return nil
  }
}

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
