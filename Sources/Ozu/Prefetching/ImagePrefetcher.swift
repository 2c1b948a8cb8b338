import OzuSynchronization

/// Loads pictures before anybody asks for them, behind everything that somebody waits for.
///
/// ```swift
/// let prefetcher = ImagePrefetcher(pipeline: pipeline)
/// let outcomes = prefetcher.start(upcoming)
/// for await outcome in outcomes { log(outcome.request, outcome.result) }
/// ```
///
/// Requests go out a few at a time, in the order given, at low priority; one that is asked for meanwhile by
/// somebody who waits joins the same work and lends it its urgency. Releasing the prefetcher stops what is left.
public final class ImagePrefetcher: Sendable {
  /// How far a request is taken.
  public enum Destination: Hashable, Sendable {
    /// Until the finished picture is in memory.
    case memory
    /// Until the original is on disk; nothing is decoded.
    case disk
  }

  /// How one request ended.
  public struct Outcome: Sendable {
    /// The request.
    public let request: ImageRequest
    /// Nothing, or why it failed. A request that was stopped ends with a cancellation.
    public let result: Result<Void, ImageError>
  }

  private let state: Mutex<PrefetchQueue>
  private let pipeline: ImagePipeline
  private let destination: Destination

  /// Makes a prefetcher.
  ///
  /// - Parameter concurrentRequests: how many requests are under way at once. 2 by default.
  public init(
    pipeline: ImagePipeline = .shared, destination: Destination = .memory, concurrentRequests: Int = 2
  ) {
    self.pipeline = pipeline
    self.destination = destination
    state = Mutex(PrefetchQueue(width: max(1, concurrentRequests)))
  }

  deinit {
    stopAll()
  }

  /// Starts to load requests; those that are under way already are not loaded twice.
  ///
  /// - Returns: how each request ends, in the order in which they end; the stream ends with the last. It may be
  ///   dropped: the loads go on.
  /// - Complexity: O(requests).
  @discardableResult
  public func start(_ requests: [ImageRequest]) -> AsyncStream<Outcome> {
    let (stream, continuation) = AsyncStream.makeStream(of: Outcome.self)
    let report = PrefetchReport(expected: requests.count, continuation)
    state.withLock { queue in
      for request in requests { queue.add(request, report) }
    }
    startNext()
    return stream
  }

  /// Stops requests, whether they wait or are under way.
  public func stop(_ requests: [ImageRequest]) {
    end(state.withLock { queue in requests.compactMap { queue.remove($0.prefetchKey) } })
  }

  /// Stops everything.
  public func stopAll() {
    end(state.withLock { $0.removeAll() })
  }

  /// While it is paused, nothing new goes out; what is under way goes on.
  public var isPaused: Bool {
    get { state.withLock { $0.isPaused } }
    set {
      state.withLock { $0.isPaused = newValue }
      startNext()
    }
  }

  /// How many requests wait or are under way.
  public var count: Int { state.withLock { $0.count } }

  private func end(_ entries: [PrefetchQueue.Entry]) {
    for entry in entries {
      entry.task?.cancel()
      let failure = ImageError.cancelled(entry.request.source.name)
      for report in entry.reports { report.add(Outcome(request: entry.request, result: .failure(failure))) }
    }
    startNext()
  }

  private func startNext() {
    while let request = state.withLock({ $0.takeNext() }) {
      let task = Task.detached(priority: .utility) { [weak self, pipeline, destination] in
        let result = await Self.load(request, pipeline, destination)
        self?.finish(request, result)
      }
      let isWanted = state.withLock { $0.setTask(task, for: request.prefetchKey) }
      if !isWanted { task.cancel() }
    }
  }

  private static func load(
    _ request: ImageRequest, _ pipeline: ImagePipeline, _ destination: Destination
  ) async -> Result<Void, ImageError> {
    var request = request
    request.priority = min(request.priority, .low)
    do throws(ImageError) {
      switch destination {
      case .memory: _ = try await pipeline.response(for: request)
      case .disk: _ = try await pipeline.data(for: request)
      }
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  private func finish(_ request: ImageRequest, _ result: Result<Void, ImageError>) {
    let entry = state.withLock { $0.remove(request.prefetchKey) }
    for report in entry?.reports ?? [] { report.add(Outcome(request: request, result: result)) }
    startNext()
  }
}

extension ImageRequest {
  /// What tells one prefetch from another.
  fileprivate var prefetchKey: PipelineParts.JobKey {
    PipelineParts.JobKey(key.rendition, self)
  }
}

/// The requests of one call and the stream that tells of their ends.
final class PrefetchReport: Sendable {
  private let remaining: Atomic<Int>
  private let continuation: AsyncStream<ImagePrefetcher.Outcome>.Continuation

  init(expected: Int, _ continuation: AsyncStream<ImagePrefetcher.Outcome>.Continuation) {
    remaining = Atomic(expected)
    self.continuation = continuation
    if expected == 0 { continuation.finish() }
  }

  func add(_ outcome: ImagePrefetcher.Outcome) {
    continuation.yield(outcome)
    if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { continuation.finish() }
  }
}

/// What waits and what is under way, by key.
struct PrefetchQueue {
  struct Entry {
    let request: ImageRequest
    var reports: [PrefetchReport]
    /// Its number in the line; `nil` once it is under way.
    var place: Int?
    var task: Task<Void, Never>?
  }

  var isPaused = false
  private let width: Int
  private var entries: [PipelineParts.JobKey: Entry] = [:]
  private var waiting = PriorityFIFO<PipelineParts.JobKey>()
  private var runningCount = 0

  init(width: Int) {
    self.width = width
  }

  var count: Int { entries.count }

  mutating func add(_ request: ImageRequest, _ report: PrefetchReport) {
    let key = PipelineParts.JobKey(request.key.rendition, request)
    if entries[key] != nil {
      entries[key]?.reports.append(report)
    } else {
      let place = waiting.append(key, priority: request.priority)
      entries[key] = Entry(request: request, reports: [report], place: place)
    }
  }

  mutating func takeNext() -> ImageRequest? {
    guard !isPaused, runningCount < width, let key = waiting.popFirst() else { return nil }
    runningCount += 1
    entries[key]?.place = nil
    return entries[key]?.request
  }

  mutating func setTask(_ task: Task<Void, Never>, for key: PipelineParts.JobKey) -> Bool {
    guard entries[key] != nil else { return false }
    entries[key]?.task = task
    return true
  }

  mutating func remove(_ key: PipelineParts.JobKey) -> Entry? {
    guard let entry = entries.removeValue(forKey: key) else { return nil }
    if let place = entry.place { _ = waiting.remove(place) } else { runningCount -= 1 }
    return entry
  }

  mutating func removeAll() -> [Entry] {
    Array(entries.keys).compactMap { remove($0) }
  }
}
