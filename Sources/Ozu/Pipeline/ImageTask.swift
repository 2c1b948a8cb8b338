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
/// It runs even if no code awaits it, and ends exactly once. Cancelling a Swift task that awaits it cancels the load.
///
/// A task is a subscriber of the job that does the work. It has no thread or Swift task of its own: to start one
/// costs an object and a subscription. Its progress and its subscribers are guarded by its own lock, its subscription
/// to the job by the lock of the runner. Neither of the two locks is taken while the other is held. Interceptors are
/// the exception: they take a Swift task (`ImageTask+Interceptors.swift`).
public final class ImageTask: Sendable {
  typealias Outcome = Result<ImageResponse, ImageError>

  /// The request.
  public let request: ImageRequest
  let pipeline: ImagePipeline
  let start: JobInstant
  let state: Mutex<State>
  /// The priority as a raw value; read under the lock of the runner.
  let urgency: Atomic<Int>
  /// Whether it has created the job that it waits for.
  let hasMadeJob = Atomic(false)
  /// The request under the pipeline's key rules, if they change it.
  private let keyed: ImageRequest?
  // The alternative source that is tried. It is written under the task's lock before the task subscribes to a job. It
  // is read under that lock, or after that job has ended; the lock of the runner is taken in between.
  nonisolated(unsafe) var alternative: ImageRequest?
  /// The request that is tried: under the pipeline's key rules, or with an alternative source.
  var attempt: ImageRequest { alternative ?? keyed ?? request }

  struct State {
    var ending: Ending?
    /// The subscription to the job that it waits for, and that job's work.
    var subscription: SlotID?
    var work: LoadImage?
    /// The number of sources that have been tried; identifies the current job.
    var attemptCount = 0
    /// Whether a subscriber wants progress events.
    var isListening: Bool
    /// The number of the latest event that was applied.
    var lastEventNumber = 0
    var progress: LoadProgress?
    /// The first Swift task that awaits this one; most tasks have only this one. Unchecked: the code that takes it
    /// from here, under the lock, resumes it, and this happens once, when the ending is set. A checked continuation
    /// needs an allocation, and its size is known at run time only, which would slow down every access to this
    /// struct.
    var waiter: UnsafeContinuation<Void, Never>?
    /// Side state, allocated on demand.
    var sideState: SideState?
  }

  /// True for the inner task that an outer, intercepted task runs.
  let isInner: Bool

  /// Makes a task without starting it.
  ///
  /// - Parameters:
  ///   - keyed: the request under the pipeline's key rules; `nil` if they do not change it.
  ///   - subscriber: receives all events from the beginning.
  init(
    _ request: ImageRequest, keyed: ImageRequest?, pipeline: ImagePipeline, start: JobInstant,
    subscriber: TaskSubscriber? = nil, isInner: Bool = false
  ) {
    self.request = request
    self.isInner = isInner
    self.pipeline = pipeline
    self.start = start
    self.keyed = keyed
    state = Mutex(State(isListening: subscriber?.wantsProgress ?? false))
    urgency = Atomic(request.priority.rawValue)
    let observed = isInner ? nil : pipeline.context.events.requestBegan(request)
    let place = HeldPlace.current
    guard subscriber != nil || observed != nil || place != nil else { return }
    state.withLock { state in
      let sideState = state.makeSideState()
      (sideState.observed, sideState.place) = (observed, place)
      if let subscriber { sideState.subscribers.append((0, subscriber)) }
    }
  }

  // MARK: The result

  /// The picture.
  ///
  /// - Throws: `ImageError`.
  public var image: Picture {
    get async throws(ImageError) {
      // Only the picture is wanted, so no response is built.
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
      await HeldPlace.lend {
        await withTaskCancellationHandler {
          await withUnsafeContinuation { continuation in
            let isOver = state.withLock { state in
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
          cancel()
        }
      }
      // `finish` stores the result before it resumes the waiter, so it is never nil here.
      guard let result else { throw .cancelled(request.source.name) }
      return try result.get()
    }
  }

  /// How the load has ended; `nil` while it runs.
  public var result: Result<ImageResponse, ImageError>? { state.withLock { $0.ending }.map(outcome) }

  // MARK: Steering

  /// Cancels the load. Work that other requests share continues; a finished task does not change.
  ///
  /// - Complexity: O(1), however many share the work.
  public func cancel() {
    guard state.withLock({ $0.ending == nil }) else { return }
    finish(.cancelled, after: leave())
  }

  /// Removes the subscription to the job.
  ///
  /// - Returns: the latest progress event of the job.
  func leave() -> ProgressEvent? {
    let (subscription, work) = state.withLock { ($0.subscription.take(), $0.work) }
    guard let subscription, let work else { return nil }
    pipeline.context.runner.unsubscribe(subscription)
    work.progressEvents.remove(self)
    return work.progressEvents.latest
  }

  /// The priority of the load. It may change while the load runs: work that still waits in a queue moves to its new
  /// place. Work that other requests share has the highest of their priorities.
  ///
  /// - Complexity: O(1), however many share the work.
  public var priority: ImagePriority {
    get { ImagePriority(rawValue: urgency.load(ordering: .relaxed)) ?? .normal }
    set {
      urgency.store(newValue.rawValue, ordering: .relaxed)
      let (subscription, inner) = state.withLock { ($0.subscription, $0.sideState?.inner) }
      if let subscription { pipeline.context.runner.setPriority(subscription) { priority } }
      inner?.priority = newValue
    }
  }
}

extension ImageTask: Hashable {
  /// By identity.
  public static func == (a: ImageTask, b: ImageTask) -> Bool { a === b }

  /// By identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
