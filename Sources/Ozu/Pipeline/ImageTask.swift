import Foundation
import OzuSynchronization

/// A running load.
///
/// ```swift
/// let task = pipeline.task(for: url)
/// for await progress in task.progress { bar.fraction = progress.fraction ?? 0 }
/// let picture = try await task.image
/// ```
///
/// It runs whether anybody awaits it or not, and ends exactly once. Cancelling a Swift task that awaits it
/// cancels the load.
///
/// A task is a subscriber of the job that does the work, and nothing runs for it: to start one costs an object and a
/// place in that job. What it has heard and who follows it stands under its own lock, its place in the job under that of
/// the runner. Neither lock is taken while the other is held. Interceptors are the exception: they take a Swift task
/// (`ImageTask+Surroundings.swift`).
public final class ImageTask: Sendable {
  typealias Outcome = Result<ImageResponse, ImageError>

  /// What is loaded.
  public let request: ImageRequest
  let pipeline: ImagePipeline
  let start: JobInstant
  let state: Mutex<State>
  /// How urgent it is, as a raw value: read under the lock of the runner.
  let urgency: Atomic<Int>
  /// Whether it has made the job that it waits for.
  let isMaker = Atomic(false)
  /// The request under the pipeline's key, where that is another.
  private let keyed: ImageRequest?
  // The alternative that is tried. Written under the task's lock, before a job is joined; read under it or when that
  // job has ended, and the lock of the runner is taken in between.
  nonisolated(unsafe) var alternative: ImageRequest?
  /// What is tried: the request under the pipeline's key, or an alternative.
  var attempt: ImageRequest { alternative ?? keyed ?? request }

  struct State {
    var ending: Ending?
    /// The subscription to the job that it waits for, and that job's work.
    var subscription: SlotID?
    var work: LoadImage?
    /// Which of its sources' jobs that is.
    var attemptCount = 0
    /// Whether somebody wants to hear news.
    var isListening: Bool
    /// The number of the latest news.
    var heard = 0
    var progress: LoadProgress?
    /// The first Swift task that awaits it, apart: most have one. Unchecked, as it is resumed by whoever takes it from
    /// here, under the lock, when the ending is set, which happens once; a checked one takes an allocation, and
    /// its size is known at run time only, which makes everything around it slow.
    var waiter: UnsafeContinuation<Void, Never>?
    /// What few tasks have.
    var company: Company?
  }

  /// How a task has ended; the answer is put together for those who ask.
  enum Ending {
    case loaded(FinishedLoad, isCoalesced: Bool)
    case cancelled
    case other(Answer)

    /// An object, so that tasks are small.
    final class Answer: Sendable {
      let outcome: Outcome

      init(_ outcome: Outcome) { self.outcome = outcome }
    }
  }

  /// Whether it is the load inside another's interceptors.
  let isInner: Bool

  /// Makes a task that has not begun.
  ///
  /// - Parameters:
  ///   - keyed: the same request under the pipeline's key; `nil` where it is the same in all.
  ///   - follower: told of everything from the beginning.
  init(
    _ request: ImageRequest, keyed: ImageRequest?, pipeline: ImagePipeline, start: JobInstant,
    follower: TaskFollower? = nil, isInner: Bool = false
  ) {
    self.request = request
    self.isInner = isInner
    self.pipeline = pipeline
    self.start = start
    self.keyed = keyed
    state = Mutex(State(isListening: follower?.wantsNews ?? false))
    urgency = Atomic(request.priority.rawValue)
    let observed = isInner ? nil : pipeline.context.events.requestBegan(request)
    guard follower != nil || observed != nil else { return }
    state.withLock { state in
      let company = state.makeCompany()
      company.observed = observed
      if let follower { company.followers.append((0, follower)) }
    }
  }

  // MARK: The result

  /// The picture.
  ///
  /// - Throws: `ImageError`.
  public var image: Picture {
    get async throws(ImageError) {
      // Nothing is put together of which only the picture is wanted.
      if case .loaded(let load, _) = state.withLock({ $0.ending }) {
        return load.loaded.picture.at(scale: attempt)
      }
      return try await response.picture
    }
  }

  /// The picture, with where it came from and how long each stage took.
  ///
  /// - Throws: `ImageError`.
  public var response: ImageResponse {
    get async throws(ImageError) {
      if let result { return try result.get() }
      await withTaskCancellationHandler {
        await withUnsafeContinuation { continuation in
          let isOver = state.withLock { state in
            if state.ending != nil { return true }
            if state.waiter == nil {
              state.waiter = continuation
            } else {
              state.makeCompany().furtherWaiters.append(continuation)
            }
            return false
          }
          if isOver { continuation.resume() }
        }
      } onCancel: {
        cancel()
      }
      // Whoever resumes has put it there.
      guard let result else { throw .cancelled(request.source.name) }
      return try result.get()
    }
  }

  /// How the load has ended; `nil` while it runs.
  public var result: Result<ImageResponse, ImageError>? { state.withLock { $0.ending }.map(outcome) }

  func outcome(of ending: Ending) -> Outcome {
    switch ending {
    case .loaded(let load, let isCoalesced):
      .success(load.response(to: attempt, since: start, isCoalesced: isCoalesced))
    case .cancelled: .failure(.cancelled(request.source.name))
    case .other(let answer): answer.outcome
    }
  }

  // MARK: Steering

  /// Calls the load off. Work that other requests share goes on; a finished task stays as it is.
  ///
  /// - Complexity: O(1), however many share the work.
  public func cancel() {
    guard state.withLock({ $0.ending == nil }) else { return }
    finish(.cancelled, after: leave())
  }

  /// Gives up waiting for the job.
  ///
  /// - Returns: the last that it has told.
  func leave() -> JobNews? {
    let (subscription, work) = state.withLock { ($0.subscription.take(), $0.work) }
    guard let subscription, let work else { return nil }
    pipeline.context.runner.unsubscribe(subscription)
    work.news.remove(self)
    return work.news.latest
  }

  /// How urgent the load is. It may change while it runs: what still waits for its turn, waits at its new place.
  /// Work that other requests share has the priority of the most urgent.
  ///
  /// - Complexity: O(1), however many share the work.
  public var priority: ImagePriority {
    get { ImagePriority(rawValue: urgency.load(ordering: .relaxed)) ?? .normal }
    set {
      urgency.store(newValue.rawValue, ordering: .relaxed)
      let (subscription, inner) = state.withLock { ($0.subscription, $0.company?.inner) }
      if let subscription { pipeline.context.runner.setPriority(subscription) { priority } }
      inner?.priority = newValue
    }
  }

  // MARK: Running

  /// Starts to load: what memory has has been looked up before.
  func begin() {
    if let alternative {
      begin(alternative)
    } else if let keyed {
      begin(keyed)
    } else {
      begin(request)
    }
  }

  /// Ends the task, unless it has ended before.
  func finish(_ outcome: Outcome, after news: JobNews? = nil) {
    finish(.other(Ending.Answer(outcome)), after: news)
  }

  func finish(_ ending: Ending, after news: JobNews? = nil) {
    let now = readClock(for: news)
    let left = state.withLock { state -> (waiter: UnsafeContinuation<Void, Never>?, company: Leaving?)? in
      guard state.ending == nil else { return nil }
      if let news { hear(news, at: now, &state) }
      state.ending = ending
      defer { (state.waiter, state.subscription, state.work) = (nil, nil, nil) }
      guard let company = state.company else { return (state.waiter, nil) }
      return (nil, company.leave(state.waiter, ending))
    }
    guard let left else { return }
    if !isInner { tellEnd(ending, left.company) }
    left.waiter?.resume()
    guard let company = left.company else { return }
    for task in company.surroundings { task.cancel() }
    for waiter in company.waiters { waiter.resume() }
    tellFollowers()
  }

  private func tellEnd(_ ending: Ending, _ company: Leaving?) {
    switch ending {
    case .loaded(let load, let isCoalesced):
      pipeline.context.events.counters.addAnswer(load.loaded.source, isCoalesced: isCoalesced)
    case .cancelled: pipeline.context.events.counters.cancelled.increment()
    case .other(let answer):
      switch answer.outcome {
      case .success(let response):
        pipeline.context.events.counters.addAnswer(response.source, isCoalesced: response.isCoalesced)
      case .failure(let error): pipeline.context.events.counters.add(error)
      }
    }
    guard let company, let observed = company.observed else { return }
    switch outcome(of: ending) {
    case .success(let response): pipeline.context.events.requestEnded(observed, .picture(response))
    case .failure(let error): pipeline.context.events.requestEnded(observed, RequestOutcome(error))
    }
  }
}

extension ImageTask: Hashable {
  /// By identity.
  public static func == (a: ImageTask, b: ImageTask) -> Bool { a === b }

  /// By identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
