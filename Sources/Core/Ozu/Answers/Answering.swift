import OzuBase

/// One answer: a promise that is finished once, awaited by several, can be cancelled, and reports its progress.
///
/// Requests for pictures (`ImageTask`), bytes (`ImageDataTask`) and encoded files (`EncodingTask`) have all of it from the
/// extensions of this protocol: interceptors around the load, alternative sources after a failure, the deadline, the
/// priority, cancellation, events in order also for late subscribers, and one end that waiters, observers and counters
/// receive. The three state only what differs: their job, and what they make of its result.
///
/// An answer is a subscriber of the job that does the work. It has no thread or Swift task of its own: to start one
/// costs an object and a subscription. Its progress and its subscribers are guarded by its own lock, its subscription
/// to the job by the lock of the runner. Neither of the two locks is taken while the other is held. Interceptors are
/// the exception: they take a Swift task (`Answering+Interceptors.swift`).
protocol Answering: JobWaiter, ProgressListener {
  associatedtype Value: Sendable
  associatedtype Work: AnswerWork

  var answer: Answer<Self> { get }

  /// The value in memory, if it may be served without asking the origin.
  func inMemory(_ request: ImageRequest) -> Value?
  /// The key of the job for a request; `nil` for work that is not shared.
  ///
  /// - Throws: an error if the request cannot be answered.
  func jobKey(for request: ImageRequest, _ epoch: LoadEpoch) throws(ImageError) -> JobKey?
  /// The work of a new job. Called under the runner's lock, so it must only construct objects.
  func work(for request: ImageRequest, _ epoch: LoadEpoch) -> Work
  /// The value from the result of a job, which others may share.
  func value(of made: Work.Made, isCoalesced: Bool) -> Result<Value, ImageError>
  /// Calls an interceptor.
  func ask(
    _ interceptor: any ImageInterceptor, _ request: ImageRequest, _ rest: ImageLoadChain<Value>
  ) async throws(ImageError) -> Value
  /// The answer that the interceptors of this one run.
  func makeInner(for request: ImageRequest, _ subscriber: AnswerSubscriber<Value>) -> Self
  /// Counts an answer: the result of a job, or a value from memory or from an interceptor.
  func count(_ made: Work.Made, isCoalesced: Bool)
  func count(_ value: Value)
  /// The value, as observers receive it.
  static func observed(_ value: Value) -> RequestOutcome
}

/// Work that answers requests.
protocol AnswerWork: JobWork {
  /// The result, shared by all who waited for it. An object, so that ten thousand answers copy nothing, and that their
  /// state has a fixed size.
  associatedtype Made: AnyObject & Sendable

  var outcome: Result<Made, ImageError> { get }
}

/// The state of an answer.
struct Answer<Owner: Answering>: ~Copyable, Sendable {
  typealias Outcome = Result<Owner.Value, ImageError>

  /// The request of the app.
  let request: ImageRequest
  /// The request under the pipeline's key rules, if they change it.
  let keyed: ImageRequest?
  let pipeline: ImagePipeline
  let start: JobInstant
  /// True for the inner answer that an outer, intercepted one runs.
  let isInner: Bool
  let state: Mutex<State>
  /// The priority as a raw value; read under the lock of the runner.
  let urgency: Atomic<Int>
  /// Whether it has created the job that it waits for.
  let hasMadeJob = Atomic(false)

  // Not private: the compiler (6.3) cannot lay out a class of another file around it.
  struct State {
    var ending: Ending?
    /// The subscription to the job that it waits for, and that job's work.
    var subscription: SlotID?
    var work: Owner.Work?
    /// The number of sources that have been tried; identifies the current job.
    var attemptCount = 0
    /// Whether a subscriber wants progress events.
    var isListening: Bool
    /// The number of the latest event that was applied.
    var lastEventNumber = 0
    var progress: LoadProgress?
    /// The first Swift task that awaits this one; most answers have only this one. Unchecked: the code that takes it
    /// from here, under the lock, resumes it, and this happens once, when the ending is set. A checked continuation
    /// needs an allocation, and its size is known at run time only, which would slow down every access to this
    /// struct.
    var waiter: UnsafeContinuation<Void, Never>?
    /// Side state, allocated on demand.
    var sideState: SideState?

    /// The side state, created if necessary.
    mutating func makeSideState() -> SideState {
      if let sideState { return sideState }
      let new = SideState()
      sideState = new
      return new
    }
  }

  /// How an answer has ended. The value of a job's result is built when it is read.
  enum Ending {
    case made(Owner.Work.Made, isCoalesced: Bool)
    case value(EndBox<Owner.Value>)
    case failed(EndBox<ImageError>)
    case cancelled
  }

  /// Makes an answer without starting it.
  ///
  /// - Parameters:
  ///   - keyed: the request under the pipeline's key rules; `nil` if they do not change it.
  ///   - subscriber: receives all events from the beginning.
  init(
    _ request: ImageRequest, keyed: ImageRequest?, pipeline: ImagePipeline, start: JobInstant? = nil,
    subscriber: AnswerSubscriber<Owner.Value>? = nil, isInner: Bool = false
  ) {
    self.request = request
    self.keyed = keyed
    self.pipeline = pipeline
    self.start = start ?? pipeline.context.instant
    self.isInner = isInner
    state = Mutex(State(isListening: subscriber?.wantsProgress ?? false))
    urgency = Atomic(request.priority.rawValue)
    let observed = isInner ? nil : pipeline.context.events.requestBegan(request)
    let place = HeldPlace.current
    guard subscriber != nil || observed != nil || place != nil else { return }
    state.withLock { state in
      let sideState = state.makeSideState()
      (sideState.observed, sideState.place) = (observed, place)
      if let subscriber { sideState.subscribers.append(subscriber) }
    }
  }
}

/// The value or the error with which an answer has ended. An object, so that answers are small.
final class EndBox<Content: Sendable>: Sendable {
  let content: Content

  init(_ content: Content) { self.content = content }
}

extension Answering {
  var pipeline: ImagePipeline { answer.pipeline }
  var start: JobInstant { answer.start }

  /// The request that is tried: under the pipeline's key rules, or with an alternative source.
  var attempt: ImageRequest { answer.state.withLock { attempt($0) } }

  /// The same for code that holds the lock.
  func attempt(_ state: Answer<Self>.State) -> ImageRequest {
    state.sideState?.alternative ?? answer.keyed ?? answer.request
  }

  // MARK: The result

  /// The value. Cancelling the Swift task that waits for it cancels the load.
  var value: Value {
    get async throws(ImageError) {
      if let ending { return try value(of: ending) }
      await HeldPlace.lend {
        await withTaskCancellationHandler {
          await withUnsafeContinuation { continuation in
            let isOver = answer.state.withLock { state in
              if state.ending != nil { return true }
              if state.waiter == nil {
                state.waiter = continuation
              } else {
                state.makeSideState().furtherWaiters.append(continuation)
              }
              return false
            }
            if isOver { continuation.resume() }
          }
        } onCancel: {
          abandon()
        }
      }
      // `finish` stores the result before it resumes the waiter, so it is never nil here.
      return try value(of: ending ?? .cancelled)
    }
  }

  private var ending: Answer<Self>.Ending? { answer.state.withLock { $0.ending } }

  private func value(of ending: Answer<Self>.Ending) throws(ImageError) -> Value {
    switch ending {
    case .made(let made, let isCoalesced): try value(of: made, isCoalesced: isCoalesced).get()
    case .value(let box): box.content
    case .failed(let box): throw box.content
    case .cancelled: throw .cancelled(answer.request.source.name)
    }
  }

  /// How the load has ended; `nil` while it runs.
  var outcome: Result<Value, ImageError>? { ending.map(outcome) }

  func outcome(of ending: Answer<Self>.Ending) -> Result<Value, ImageError> {
    Result { () throws(ImageError) in try value(of: ending) }
  }

  // MARK: Steering

  /// Cancels the load. Work that other requests share continues; a finished answer does not change.
  ///
  /// - Complexity: O(1), however many share the work.
  func abandon() {
    guard answer.state.withLock({ $0.ending == nil }) else { return }
    finish(.cancelled, after: leave())
  }

  /// Removes the subscription to the job.
  ///
  /// - Returns: the latest progress event of the job.
  func leave() -> ProgressEvent? {
    let (subscription, work) = answer.state.withLock { ($0.subscription.take(), $0.work) }
    guard let subscription, let work else { return nil }
    pipeline.context.runner.unsubscribe(subscription)
    guard let reporting = work as? ReportingWork else { return nil }
    reporting.progressEvents.remove(self)
    return reporting.progressEvents.latest
  }

  /// The priority of the load. It may change while the load runs: work that still waits in a queue moves to its new
  /// place. Work that other requests share has the highest of their priorities.
  ///
  /// - Complexity: O(1), however many share the work.
  var level: ImagePriority {
    get { ImagePriority(rawValue: answer.urgency.load(ordering: .relaxed)) ?? .normal }
    set {
      answer.urgency.store(newValue.rawValue, ordering: .relaxed)
      let (subscription, inner) = answer.state.withLock { ($0.subscription, $0.sideState?.inner) }
      if let subscription { pipeline.context.runner.setPriority(subscription) { level } }
      inner?.level = newValue
    }
  }
}

/// The start of an answer, and the answer as a subscriber of the job that does its work.
extension Answering {
  /// Starts the load, inside the interceptors and within the deadline.
  func run() {
    guard pipeline.hasInterceptors else { return load() }
    if let deadline { limitTime(deadline) }
    intercept()
  }

  /// Looks into memory first, because an observed or intercepted answer has not done so yet.
  func load() {
    if pipeline.hasObserversOrInterceptors, let value = inMemory(attempt) {
      finish(.success(value))
    } else {
      begin()
    }
  }

  /// Subscribes to the job of the load. The caller has already looked into memory.
  func begin() {
    let (request, context, level) = (attempt, pipeline.context, level)
    let epoch = context.epochs.epoch(of: request)
    let key: JobKey?
    do throws(ImageError) {
      if pipeline.checksSources { try pipeline.configuration.check(request.source) }
      if request.isForCanvas { context.pipeline.set(pipeline) }
      key = try jobKey(for: request, epoch)
    } catch {
      return fail(error)
    }
    let (number, place) = answer.state.withLock { state -> (Int?, HeldPlace?) in
      state.attemptCount += 1
      return (state.ending == nil ? state.attemptCount : nil, state.sideState?.place)
    }
    guard let number else { return }
    answer.hasMadeJob.store(false, ordering: .relaxed)
    let subscription = context.runner.subscribe(
      self, to: key, within: place?.job(in: context.runner), priority: level, deadline: deadline
    ) {
      answer.hasMadeJob.store(true, ordering: .relaxed)
      return JobStart(work(for: request, context.epochs.beginJob(for: request, askedIn: epoch)))
    }
    guard let subscription else { return fail(.waitsForItself(request.source.name)) }
    note(subscription, number)
    if self.level != level { context.runner.setPriority(subscription.id) { self.level } }
  }

  /// Stores a subscription, unless the answer has ended or tries another source by now.
  private func note(_ subscription: JobRunner.Subscription, _ attempt: Int) {
    guard let work = subscription.work as? Work else { return }
    let (isOver, isListening) = answer.state.withLock { state in
      if state.ending == nil, state.attemptCount == attempt {
        state.subscription = subscription.id
        state.work = work
      }
      return (state.ending != nil, state.isListening)
    }
    if isOver {
      pipeline.context.runner.unsubscribe(subscription.id)
    } else if isListening {
      (work as? ReportingWork)?.progressEvents.add(self)
    }
  }

  /// Tries the next source, if there is one. If all fail, the answer ends with the error of the first.
  ///
  /// - Parameter event: the latest progress event of the job that has failed.
  func fail(_ error: ImageError, after event: ProgressEvent? = nil) {
    let request = answer.request
    guard request.hasAlternatives, !error.isCancellation else { return finish(.failure(error), after: event) }
    let (triedCount, first) = answer.state.withLock { state in
      let sideState = state.makeSideState()
      let (first, triedCount) = sideState.failure ?? (error, 0)
      sideState.failure = (first, triedCount + 1)
      return (triedCount, first)
    }
    let alternatives = request.substitutes(after: first)
    guard triedCount < alternatives.count else { return finish(.failure(first), after: event) }
    let next = pipeline.keyed(request.alternative(alternatives[triedCount]))
    // What is known of the former source goes with it, and is released outside the lock.
    let former = answer.state.withLock { state in
      let sideState = state.makeSideState()
      sideState.failedByteCount += event?.progress?.receivedByteCount ?? 0
      state.progress = nil
      defer { (sideState.alternative, sideState.preview, sideState.size) = (next, nil, nil) }
      return (sideState.alternative, sideState.preview)
    }
    withExtendedLifetime(former) {}
    if let value = inMemory(next) { finish(.success(value)) } else { begin() }
  }

  func jobEnded(_ work: JobWork) {
    guard let work = work as? Work else { return }
    let event = (work as? ReportingWork)?.progressEvents.latest
    switch work.outcome {
    case .success(let made):
      finish(.made(made, isCoalesced: !answer.hasMadeJob.load(ordering: .relaxed)), after: event)
    case .failure(let error): fail(error, after: event)
    }
  }

  func jobOverdue(_ standing: JobStanding<JobWork>) { expire(standing.stage) }
}

/// The end of an answer: its result, and those who receive it.
extension Answering {
  /// Ends the answer, unless it has ended before.
  func finish(_ outcome: Result<Value, ImageError>, after event: ProgressEvent? = nil) {
    switch outcome {
    case .success(let value): finish(.value(EndBox(value)), after: event)
    case .failure(let error): finish(.failed(EndBox(error)), after: event)
    }
  }

  func finish(_ ending: Answer<Self>.Ending, after event: ProgressEvent? = nil) {
    let now = readClock(for: event)
    var subscription: SlotID?
    let left = answer.state.withLock {
      state -> (waiter: UnsafeContinuation<Void, Never>?, sideState: Answer<Self>.EndRecipients?)? in
      guard state.ending == nil else { return nil }
      if let event { receive(event, at: now, &state) }
      state.ending = ending
      if case .made = ending {} else { subscription = state.subscription }
      defer { (state.waiter, state.subscription, state.work) = (nil, nil, nil) }
      guard let sideState = state.sideState else { return (state.waiter, nil) }
      return (nil, sideState.takeEndRecipients(state.waiter, ending))
    }
    // One that was noted after a cancelled answer had left its job: without this the load would run on for nobody.
    if let subscription { pipeline.context.runner.unsubscribe(subscription) }
    guard let left else { return }
    if !answer.isInner { tellEnd(ending, left.sideState) }
    left.waiter?.resume()
    guard let sideState = left.sideState else { return }
    for task in sideState.auxiliaryTasks { task.cancel() }
    for waiter in sideState.waiters { waiter.resume() }
    deliverEvents()
  }

  private func tellEnd(_ ending: Answer<Self>.Ending, _ sideState: Answer<Self>.EndRecipients?) {
    let counters = pipeline.context.events.counters
    switch ending {
    case .made(let made, let isCoalesced): count(made, isCoalesced: isCoalesced)
    case .value(let box): count(box.content)
    case .failed(let box): counters.add(box.content)
    case .cancelled: counters.cancelled.increment()
    }
    guard let observed = sideState?.observed else { return }
    switch outcome(of: ending) {
    case .success(let value): pipeline.context.events.requestEnded(observed, Self.observed(value))
    case .failure(let error): pipeline.context.events.requestEnded(observed, RequestOutcome(error))
    }
  }
}
