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
  // Touched under the lock of the jobs alone.
  nonisolated(unsafe) var seat: PipelineParts.LoadJobs.Seat
  // The request under the pipeline's key, or the alternative that is tried. Written under the task's lock, before a
  // job is joined; read under it or when that job has ended, and the lock of the jobs is taken in between.
  nonisolated(unsafe) private(set) var attempt: ImageRequest

  struct State {
    var outcome: Outcome?
    /// The number of the latest news.
    var heard = 0
    var progress: LoadProgress?
    var preview: ImageResponse?
    /// The first Swift task that awaits it, apart: most have one.
    var waiter: CheckedContinuation<Void, Never>?
    var furtherWaiters: [CheckedContinuation<Void, Never>] = []
    var followers: [(id: Int, follower: TaskFollower)] = []
    var lastFollowerID = 0
    /// Made when it is asked for.
    var foundationProgress: Progress?
    /// The error of the first source, and how many alternatives have been tried.
    var failure: (error: ImageError, triedCount: Int)?
    /// The interceptors and the deadline at work.
    var surroundings: [Task<Void, Never>] = []
    /// The load inside the interceptors.
    var inner: ImageTask?
  }

  /// As observers are told of it; `nil` when there are none, or the task is inside another.
  private let observed: ObservedRequest?
  /// Whether it is the load inside another's interceptors.
  let isInner: Bool

  /// Makes a task that has not begun.
  ///
  /// - Parameters:
  ///   - keyed: the same request under the pipeline's key.
  ///   - follower: told of everything from the beginning.
  init(
    _ request: ImageRequest, keyed: ImageRequest, parts: PipelineParts, start: ContinuousClock.Instant,
    follower: TaskFollower? = nil, isInner: Bool = false
  ) {
    self.request = request
    self.isInner = isInner
    observed = isInner ? nil : parts.events.requestBegan(request)
    self.parts = parts
    self.start = start
    attempt = keyed
    seat = PipelineParts.LoadJobs.Seat(level: request.priority, isListening: follower?.wantsNews ?? false)
    guard let follower else { return }
    state.withLock { $0.followers.append((0, follower)) }
  }

  // MARK: The result

  /// The picture.
  ///
  /// - Throws: `ImageError`.
  public var image: Picture {
    get async throws(ImageError) { try await response.picture }
  }

  /// The picture, with where it came from and how long each stage took.
  ///
  /// - Throws: `ImageError`.
  public var response: ImageResponse {
    get async throws(ImageError) {
      if let result { return try result.get() }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isOver = state.withLock { state in
            if state.outcome != nil { return true }
            if state.waiter == nil {
              state.waiter = continuation
            } else {
              state.furtherWaiters.append(continuation)
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
  public var result: Result<ImageResponse, ImageError>? { state.withLock { $0.outcome } }

  // MARK: Steering

  /// Calls the load off. Work that other requests share goes on; a finished task stays as it is.
  ///
  /// - Complexity: O(1), however many share the work.
  public func cancel() {
    guard state.withLock({ $0.outcome == nil }) else { return }
    let news = parts.loads.leave(self)
    finish(.failure(.cancelled(request.source.name)), after: news)
  }

  /// How urgent the load is. It may change while it runs: what still waits for its turn, waits at its new place.
  /// Work that other requests share has the priority of the most urgent.
  ///
  /// - Complexity: O(1), however many share the work.
  public var priority: ImagePriority {
    get { parts.loads.level(of: self) }
    set {
      parts.loads.change(self, to: newValue)
      state.withLock({ $0.inner })?.priority = newValue
    }
  }

  // MARK: Running

  /// Starts to load: what memory has has been looked up before.
  func begin() {
    let request = attempt
    do throws(ImageError) {
      try request.validate()
    } catch {
      return fail(error)
    }
    let isWaiting = parts.loads.join(.load(request, number: parts.sharingNumber()), self) {
      [parts] in { job in await LoadImage(parts: parts, request: request, job: job).run() }
    }
    if !isWaiting { finish(.failure(.cancelled(request.source.name))) }
  }

  /// Tries the next source, if there is one. The error of the first is the one that is told.
  private func fail(_ error: ImageError) {
    guard request.hasAlternatives, !error.isCancellation else { return finish(.failure(error)) }
    let (triedCount, first) = state.withLock { state in
      let (first, triedCount) = state.failure ?? (error, 0)
      state.failure = (first, triedCount + 1)
      return (triedCount, first)
    }
    let alternatives = request.substitutes(after: first)
    guard triedCount < alternatives.count else { return finish(.failure(first)) }
    let next = request.alternative(alternatives[triedCount]).keyed(by: parts.configuration.cacheKeyRules)
    // Late news of the job before may be on its way.
    state.withLock { _ in attempt = next }
    if let response = parts.memoryResponse(for: next, start: start) {
      finish(.success(response))
    } else {
      begin()
    }
  }

  /// Ends the task, unless it has ended before.
  func finish(_ outcome: Outcome, after news: JobNews? = nil) {
    let ended = state.withLock { state -> State? in
      guard state.outcome == nil else { return nil }
      if let news { hear(news, &state) }
      var ended = State()
      swap(&ended.surroundings, &state.surroundings)
      swap(&ended.inner, &state.inner)
      swap(&ended.waiter, &state.waiter)
      swap(&ended.furtherWaiters, &state.furtherWaiters)
      swap(&ended.followers, &state.followers)
      state.outcome = outcome
      return ended
    }
    guard let ended else { return }
    if !isInner { tellEnd(outcome) }
    for task in ended.surroundings { task.cancel() }
    for (_, follower) in ended.followers { follower.finish(outcome) }
    ended.waiter?.resume()
    for waiter in ended.furtherWaiters { waiter.resume() }
  }

  private func tellEnd(_ outcome: Outcome) {
    switch outcome {
    case .success(let response): parts.events.requestEnded(observed, response)
    case .failure(let error): parts.events.requestFailed(observed, error)
    }
  }

  /// Takes in what is new and tells the followers. Under the lock, so that all hear everything in order: they only
  /// put it into a buffer or a queue.
  private func hear(_ news: JobNews, _ state: inout State) {
    guard state.outcome == nil, news.number > state.heard else { return }
    if let progress = news.progress, progress != state.progress {
      state.progress = progress
      for (_, follower) in state.followers { follower.receive(progress, preview: nil) }
    }
    if let preview = news.preview, preview.number > state.heard {
      let response = ImageResponse(
        picture: preview.picture.at(scale: attempt), request: attempt, source: .network,
        isCoalesced: false, encodedByteCount: state.progress?.receivedByteCount ?? 0,
        timings: StageTimings(), total: start.duration(to: parts.configuration.now()), verdict: .none)
      state.preview = response
      for (_, follower) in state.followers { follower.receive(state.progress, preview: response) }
    }
    state.heard = news.number
  }
}

extension ImageTask: JobSubscriber {
  func receive(_ news: JobNews) {
    state.withLock { hear(news, &$0) }
  }

  func receive(_ outcome: Result<LoadedPicture, ImageError>, after news: JobNews) {
    switch outcome {
    case .success(let loaded):
      if loaded.source == .network, !seat.hasJoinedOther { parts.downloads.report(loaded.picture, attempt) }
      let response = ImageResponse(
        picture: loaded.picture.at(scale: attempt), request: attempt, source: loaded.source,
        isCoalesced: seat.hasJoinedOther, encodedByteCount: loaded.encodedByteCount,
        timings: loaded.timings, total: start.duration(to: parts.configuration.now()),
        verdict: loaded.verdict)
      finish(.success(response), after: news)
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
