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
/// place in that job. What it has heard and who follows it stands under its own lock; its place, and so its
/// priority, under the lock of the jobs. Neither lock is taken while the other is held. Interceptors and a deadline are
/// the exceptions: they take a Swift task each (`ImageTask+Surroundings.swift`).
public final class ImageTask: Sendable {
  typealias Outcome = Result<ImageResponse, ImageError>

  /// What is loaded.
  public let request: ImageRequest
  let parts: PipelineParts
  let start: ContinuousClock.Instant
  let state = Mutex(State())
  // Read and written only under the lock of the jobs, but by `init`.
  nonisolated(unsafe) var seat: PipelineParts.LoadJobs.Seat
  /// The request under the pipeline's key, where that is another.
  private let keyed: ImageRequest?
  // The alternative that is tried. Written under the task's lock, before a job is joined; read under it or when that
  // job has ended, and the lock of the jobs is taken in between.
  nonisolated(unsafe) private var alternative: ImageRequest?
  /// What is tried: the request under the pipeline's key, or an alternative.
  var attempt: ImageRequest { alternative ?? keyed ?? request }

  struct State {
    var ending: Ending?
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
    _ request: ImageRequest, keyed: ImageRequest?, parts: PipelineParts, start: ContinuousClock.Instant,
    follower: TaskFollower? = nil, isInner: Bool = false
  ) {
    self.request = request
    self.isInner = isInner
    self.parts = parts
    self.start = start
    self.keyed = keyed
    seat = PipelineParts.LoadJobs.Seat(level: request.priority, isListening: follower?.wantsNews ?? false)
    let observed = isInner ? nil : parts.events.requestBegan(request)
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
    let news = parts.loads.leave(self)
    finish(.cancelled, after: news)
  }

  /// How urgent the load is. It may change while it runs: what still waits for its turn, waits at its new place.
  /// Work that other requests share has the priority of the most urgent.
  ///
  /// - Complexity: O(1), however many share the work.
  public var priority: ImagePriority {
    get { parts.loads.level(of: self) }
    set {
      parts.loads.change(self, to: newValue)
      state.withLock({ $0.company?.inner })?.priority = newValue
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

  private func begin(_ request: ImageRequest) {
    do throws(ImageError) {
      try request.validate()
    } catch {
      return fail(error)
    }
    let isWaiting = parts.loads.join(.load(request, number: parts.sharingNumber()), self) { operation }
    if !isWaiting { finish(.cancelled) }
  }

  /// The work of a new job. Who joins one that is there copies nothing for it.
  private var operation: PipelineParts.LoadJobs.Operation {
    let (parts, request) = (parts, attempt)
    return { job in await LoadImage(parts: parts, request: request, job: job).run() }
  }

  /// Tries the next source, if there is one. The error of the first is the one that is told.
  private func fail(_ error: ImageError) {
    guard request.hasAlternatives, !error.isCancellation else { return finish(.failure(error)) }
    let (triedCount, first) = state.withLock { state in
      let company = state.makeCompany()
      let (first, triedCount) = company.failure ?? (error, 0)
      company.failure = (first, triedCount + 1)
      return (triedCount, first)
    }
    let alternatives = request.substitutes(after: first)
    guard triedCount < alternatives.count else { return finish(.failure(first)) }
    let next = request.alternative(alternatives[triedCount]).keyed(by: parts.configuration.cacheKeyRules)
    // Late news of the job before may be on its way. The former alternative is released outside of the lock.
    let former = state.withLock { _ in
      defer { alternative = next }
      return alternative
    }
    withExtendedLifetime(former) {}
    if let response = parts.memoryResponse(for: next, start: start) {
      finish(.success(response))
    } else {
      begin()
    }
  }

  /// Ends the task, unless it has ended before.
  func finish(_ outcome: Outcome, after news: JobNews? = nil) {
    finish(.other(Ending.Answer(outcome)), after: news)
  }

  private func finish(_ ending: Ending, after news: JobNews? = nil) {
    let now = readClock(for: news)
    let left = state.withLock { state -> (waiter: UnsafeContinuation<Void, Never>?, company: Leaving?)? in
      guard state.ending == nil else { return nil }
      if let news { hear(news, at: now, &state) }
      state.ending = ending
      defer { state.waiter = nil }
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
      parts.events.counters.addAnswer(load.loaded.source, isCoalesced: isCoalesced)
    case .cancelled: parts.events.counters.cancelled.increment()
    case .other(let answer):
      switch answer.outcome {
      case .success(let response):
        parts.events.counters.addAnswer(response.source, isCoalesced: response.isCoalesced)
      case .failure(let error): parts.events.counters.add(error)
      }
    }
    guard let company, let observed = company.observed else { return }
    switch outcome(of: ending) {
    case .success(let response): parts.events.requestEnded(observed, .picture(response))
    case .failure(let error): parts.events.requestEnded(observed, RequestOutcome(error))
    }
  }

  /// Takes in what is new, and notes it for the followers. Under the lock, so that all hear everything in order.
  ///
  /// - Parameter now: the time, which is read before: the clock may be the app's.
  private func hear(_ news: JobNews, at now: ContinuousClock.Instant, _ state: inout State) {
    guard state.ending == nil, news.number > state.heard else { return }
    if let progress = news.progress, progress != state.progress {
      state.progress = progress
      state.company?.note(progress, preview: nil)
    }
    if let preview = news.preview, preview.number > state.heard {
      let response = ImageResponse(
        picture: preview.picture.at(scale: attempt), request: attempt, source: .network,
        isCoalesced: false, encodedByteCount: state.progress?.receivedByteCount ?? 0,
        timings: StageTimings(), total: start.duration(to: now), verdict: .none)
      let company = state.makeCompany()
      company.preview = response
      company.note(state.progress, preview: response)
    }
    state.heard = news.number
  }

  /// The time, for news that need one.
  private func readClock(for news: JobNews?) -> ContinuousClock.Instant {
    news?.preview == nil ? start : parts.configuration.now()
  }
}

extension ImageTask: JobSubscriber {
  var wouldOnlyWait: Bool { parts.wouldOnlyWait(state.withLock { _ in attempt }) }

  func receive(_ news: JobNews) {
    let now = readClock(for: news)
    state.withLock { hear(news, at: now, &$0) }
    tellFollowers()
  }

  func receive(_ outcome: Result<FinishedLoad, ImageError>, after news: JobNews) {
    switch outcome {
    case .success(let load):
      let isCoalesced = parts.loads.hasJoinedOther(self)
      if !isCoalesced, load.loaded.source == .network {
        parts.downloads.report(load.loaded.picture, attempt)
      }
      finish(.loaded(load, isCoalesced: isCoalesced), after: news)
    case .failure(let error): fail(error)
    }
  }
}

extension ImageTask: Hashable {
  /// By identity.
  public static func == (a: ImageTask, b: ImageTask) -> Bool { a === b }

  /// By identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
