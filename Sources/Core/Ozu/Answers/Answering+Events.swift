import Dispatch
import OzuBase

/// An event for the subscribers of an answer.
enum AnswerEvent<Value: Sendable>: Sendable {
  /// Bytes have arrived.
  case progress(LoadProgress)
  /// The size of the upright picture of the source.
  case size(PixelSize)
  /// A part of the picture, with the progress so far.
  case preview(ImageResponse, LoadProgress?)
  /// The end. It comes once and last.
  case finished(Result<Value, ImageError>)
}

/// A receiver of an answer's events. It is called outside all locks: observers of a `Progress` run at once, and the
/// reader of a stream is woken on an executor that may be the app's.
final class AnswerSubscriber<Value: Sendable>: Sendable {
  /// Whether it wants more than the end.
  let wantsProgress: Bool
  let receive: @Sendable (AnswerEvent<Value>) -> Void

  init(wantsProgress: Bool = true, _ receive: @escaping @Sendable (AnswerEvent<Value>) -> Void) {
    self.wantsProgress = wantsProgress
    self.receive = receive
  }
}

extension Answer {
  /// The rarely needed state of an answer (subscribers, previews, interceptors). It is allocated on first use, so that
  /// ten thousand answers that only wait stay small.
  final class SideState: @unchecked Sendable {
    // Unchecked: accessed only under the lock of its answer.

    typealias Subscriber = AnswerSubscriber<Owner.Value>

    /// The request as reported to observers; `nil` if there are none, or if the answer is the inner one of an
    /// intercepted one.
    var observed: ObservedRequest?
    var preview: ImageResponse?
    /// The size of the picture of the source, once it is known.
    var size: PixelSize?
    var furtherWaiters: [UnsafeContinuation<Void, Never>] = []
    var subscribers: [Subscriber] = []
    /// The events that have not been delivered yet, in order.
    var pendingEvents: [Delivery] = []
    /// Whether a thread is delivering events.
    private var isDelivering = false
    /// Created on first use.
    var report: AnyObject?
    /// The error of the first source, and how many alternatives have been tried.
    var failure: (error: ImageError, triedCount: Int)?
    /// The bytes that came from sources that failed before another one was tried.
    var failedByteCount = 0
    /// The alternative source that is tried.
    var alternative: ImageRequest?
    /// The Swift tasks that end with this answer: the interceptors and the deadline.
    var auxiliaryTasks: [Task<Void, Never>] = []
    /// The place of the fetcher that made the request, if one did.
    var place: HeldPlace?
    /// The inner answer, which the interceptors run, and the outer one, whose interceptors run this one.
    var (inner, outer): (Owner?, Owner?) = (nil, nil)

    /// Adds an event for all subscribers.
    func enqueue(_ event: AnswerEvent<Owner.Value>) {
      switch event {
      case .size(let size): self.size = size
      case .preview(let response, _): preview = response
      case .progress, .finished: break
      }
      if !subscribers.isEmpty { pendingEvents.append(.event(event, subscribers)) }
      // Under the lock of the inner answer, so that the outer one has the same progress before either ends.
      outer?.relay(event)
    }

    /// Removes all subscribers and waiters, and returns those to notify of the end. If there are subscribers, the
    /// waiters resume after them, through an event.
    func takeEndRecipients(_ waiter: UnsafeContinuation<Void, Never>?, _ ending: Ending) -> EndRecipients {
      var waiters = furtherWaiters
      if let waiter { waiters.append(waiter) }
      if !subscribers.isEmpty {
        pendingEvents += [.end(ending, subscribers), .resume(waiters)]
        waiters = []
      }
      defer { (furtherWaiters, subscribers, auxiliaryTasks, inner, outer) = ([], [], [], nil, nil) }
      return EndRecipients(
        observed: observed, waiters: waiters, auxiliaryTasks: auxiliaryTasks,
        released: (subscribers, inner, outer))
    }

    /// Removes a subscriber. The caller releases it outside the lock.
    fileprivate func remove(_ subscriber: Subscriber) -> Subscriber? {
      subscribers.firstIndex { $0 === subscriber }.map { subscribers.remove(at: $0) }
    }

    fileprivate func beginDelivery() -> Bool {
      guard !isDelivering, !pendingEvents.isEmpty else { return false }
      isDelivering = true
      return true
    }

    /// The pending events; `nil` if there are none, which ends the delivery.
    fileprivate func takePendingEvents() -> [Delivery]? {
      defer { pendingEvents = [] }
      guard pendingEvents.isEmpty else { return pendingEvents }
      isDelivering = false
      return nil
    }
  }

  /// An event that is delivered outside the lock.
  enum Delivery {
    case event(AnswerEvent<Owner.Value>, [AnswerSubscriber<Owner.Value>])
    case end(Ending, [AnswerSubscriber<Owner.Value>])
    case resume([UnsafeContinuation<Void, Never>])
  }

  /// The objects to notify when the answer ends. An object, so that an answer without side state copies nothing of it.
  final class EndRecipients: Sendable {
    typealias Released = (subscribers: [AnswerSubscriber<Owner.Value>], inner: Owner?, outer: Owner?)

    let observed: ObservedRequest?
    /// The waiters that resume at once.
    let waiters: [UnsafeContinuation<Void, Never>]
    let auxiliaryTasks: [Task<Void, Never>]
    /// Released outside the lock.
    let released: Released

    init(
      observed: ObservedRequest?, waiters: [UnsafeContinuation<Void, Never>],
      auxiliaryTasks: [Task<Void, Never>], released: Released
    ) {
      self.observed = observed
      self.waiters = waiters
      self.auxiliaryTasks = auxiliaryTasks
      self.released = released
    }
  }
}

// MARK: From the job to the subscribers

extension Answering {
  func receive(_ event: ProgressEvent) {
    let now = readClock(for: event)
    answer.state.withLock { receive(event, at: now, &$0) }
    deliverEvents()
  }

  /// Applies an event, and queues it for the subscribers. Called under the lock, so that all subscribers receive
  /// everything in order.
  ///
  /// - Parameter now: the time. The caller reads it before it takes the lock, because the clock may be code of the
  ///   app.
  func receive(_ event: ProgressEvent, at now: JobInstant, _ state: inout Answer<Self>.State) {
    guard state.ending == nil, event.number > state.lastEventNumber else { return }
    if let progress = event.progress, progress != state.progress {
      state.progress = progress
      state.sideState?.enqueue(.progress(progress))
    }
    if let size = event.size, size != state.sideState?.size { state.makeSideState().enqueue(.size(size)) }
    if let preview = event.preview, preview.number > state.lastEventNumber {
      let request = attempt(state)
      let response = ImageResponse(
        picture: preview.picture.at(scale: request), request: request, source: .network,
        isCoalesced: false, encodedByteCount: state.progress?.receivedByteCount ?? 0,
        timings: StageTimings(), total: start.duration(to: now), verdict: .none)
      state.makeSideState().enqueue(.preview(response, state.progress))
    }
    state.lastEventNumber = event.number
  }

  /// The current time, if the event needs it.
  func readClock(for event: ProgressEvent?) -> JobInstant {
    event?.preview == nil ? start : pipeline.context.instant
  }

  /// Takes over an event of the inner answer. Called under the lock of that one, which is therefore taken before the
  /// lock of this one; it delivers the events afterwards.
  fileprivate func relay(_ event: AnswerEvent<Value>) {
    answer.state.withLock { state in
      guard state.ending == nil else { return }
      switch event {
      case .progress(let progress): state.progress = progress
      case .preview(_, let progress): state.progress = progress
      case .size, .finished: break
      }
      state.makeSideState().enqueue(event)
    }
  }

  /// Delivers the pending events to the subscribers, in order. Called outside all locks: observers of a `Progress`
  /// are code of the app, and so may be the executor of a task that reads a stream.
  ///
  /// One thread at a time delivers. A second thread that calls this returns, and the first one delivers its events
  /// too; the same holds for code of the app that calls the answer while it receives an event.
  func deliverEvents() {
    guard answer.state.withLock({ $0.sideState?.beginDelivery() ?? false }) else { return }
    while let events = answer.state.withLock({ $0.sideState?.takePendingEvents() }) {
      for event in events {
        switch event {
        case .event(let event, let subscribers): for subscriber in subscribers { subscriber.receive(event) }
        case .end(let ending, let subscribers):
          let outcome = outcome(of: ending)
          for subscriber in subscribers { subscriber.receive(.finished(outcome)) }
        case .resume(let waiters): for waiter in waiters { waiter.resume() }
        }
      }
    }
  }
}

// MARK: Subscribers

extension Answering {
  /// The latest progress of the download; `nil` before it began, or if nothing had to be downloaded.
  var latestProgress: LoadProgress? {
    // The answer does not subscribe to progress for this, so that one that is never asked costs nothing while bytes
    // arrive.
    let (work, progress) = answer.state.withLock { ($0.work, $0.progress) }
    return (work as? ReportingWork)?.progressEvents.latest.progress ?? progress
  }

  /// The bytes of sources that failed before another one was tried.
  var failedByteCount: Int { answer.state.withLock { $0.sideState?.failedByteCount ?? 0 } }

  /// The progress of the download, beginning with the latest value. A slow reader misses intermediate values, never
  /// the last.
  var progressStream: AsyncStream<LoadProgress> {
    stream(.bufferingNewest(1)) { if case .progress(let progress) = $0 { progress } else { nil } }
  }

  /// A stream of some events. It ends with the answer; dropping it does not cancel the load.
  func stream<Element: Sendable>(
    _ buffering: AsyncStream<Element>.Continuation.BufferingPolicy,
    _ element: @escaping @Sendable (AnswerEvent<Value>) -> Element?
  ) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: buffering)
    let subscriber = AnswerSubscriber<Value> { event in
      if let element = element(event) { continuation.yield(element) }
      if case .finished = event { continuation.finish() }
    }
    if subscribe(subscriber) {
      continuation.onTermination = { [weak self, weak subscriber] _ in
        guard let subscriber else { return }
        _ = self?.answer.state.withLock { $0.sideState?.remove(subscriber) }
      }
    }
    return stream
  }

  /// An object that shows the progress of the download in bytes, the same one at every call.
  ///
  /// - Parameters:
  ///   - make: makes it. Calling the closure cancels the load.
  ///   - show: shows the progress; `nil` is the end.
  func report<Report: AnyObject & Sendable>(
    _ make: (_ cancel: @escaping @Sendable () -> Void) -> Report,
    show: @escaping @Sendable (Report, LoadProgress?) -> Void
  ) -> Report {
    let (report, isNew) = answer.state.withLock { state in
      let sideState = state.makeSideState()
      if let report = sideState.report as? Report { return (report, false) }
      let report = make { [weak self] in self?.abandon() }
      sideState.report = report
      return (report, true)
    }
    guard isNew else { return report }
    subscribe(
      AnswerSubscriber { event in
        switch event {
        case .progress(let progress), .preview(_, let progress?): show(report, progress)
        case .finished(.success): show(report, nil)
        case .finished, .preview, .size: break
        }
      })
    return report
  }

  /// Adds a subscriber, and delivers the state so far to it.
  ///
  /// - Returns: whether more will come.
  @discardableResult
  private func subscribe(_ subscriber: AnswerSubscriber<Value>) -> Bool {
    let (goesOn, unheard) = answer.state.withLock { state -> (Bool, Work?) in
      let sideState = state.makeSideState()
      var events: [AnswerEvent<Value>] = []
      if let progress = state.progress { events.append(.progress(progress)) }
      if let size = sideState.size { events.append(.size(size)) }
      if let preview = sideState.preview { events.append(.preview(preview, state.progress)) }
      sideState.pendingEvents += events.map { .event($0, [subscriber]) }
      if let ending = state.ending {
        sideState.pendingEvents.append(.end(ending, [subscriber]))
        return (false, nil)
      }
      sideState.subscribers.append(subscriber)
      defer { state.isListening = true }
      return (true, state.isListening ? nil : state.work)
    }
    deliverEvents()
    // The first subscriber makes the answer subscribe to the progress of its job, with the latest event.
    (unheard as? ReportingWork)?.progressEvents.add(self)
    return goesOn
  }
}
