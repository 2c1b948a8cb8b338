import Dispatch
import OzuBase

/// Loads pictures before they are needed, at low priority: a request begins after everything that a view or a caller waits for.
///
/// ```swift
/// let prefetcher = ImagePrefetcher(pipeline: pipeline)
/// let outcomes = prefetcher.start(upcoming, budget: PrefetchBudget(downloadedByteCount: 20 << 20))
/// for await outcome in outcomes { log(outcome.request, outcome.ending) }
/// ```
///
/// A few requests run at a time, those of higher priority first and otherwise in the order given, all at low priority. A request
/// begins only while no work of normal priority or higher waits in a queue. If a view requests the same picture meanwhile, it
/// joins the same work and raises its priority. Releasing the prefetcher stops the remaining requests: keep it in a property or
/// a variable, or keep the outcomes, which hold it.
public final class ImagePrefetcher: Sendable {
  /// How far a request is loaded.
  public enum Destination: Hashable, Sendable {
    /// Until the finished picture is in memory.
    case memory
    /// Until the original is on disk; nothing is decoded. A source that is no picture has failed, so the next of the
    /// `alternatives` is tried; interceptors see bytes, and with them anything is loaded.
    case disk
  }

  /// How a request can end.
  public enum Ending: Sendable {
    /// The picture is loaded and was given to its destination. The value says where it was found or made. Memory may have refused it;
    /// the disk has it for certain after `ImagePipeline.flush()`, unless its origin forbids to store it (`no-store`).
    case done(ImageResponse.Source)
    /// It could not be loaded.
    case failed(ImageError)
    /// It was stopped, or the prefetcher was released.
    case stopped
    /// The budget was used up before its turn.
    case overBudget
  }

  /// How one request ended.
  public struct Outcome: Sendable {
    /// The request.
    public let request: ImageRequest
    /// How it ended.
    public let ending: Ending
    /// The number of downloaded bytes, also of a load that failed; 0 if a cache had them or nothing was loaded.
    public let downloadedByteCount: Int

    /// Success, or the error. A request that was stopped or was over the budget ends with a cancellation.
    public var result: Result<Void, ImageError> {
      switch ending {
      case .done: .success(())
      case .failed(let error): .failure(error)
      case .stopped, .overBudget: .failure(.cancelled(request.source.name))
      }
    }
  }

  /// The outcomes of the requests of one call of `start`, for one reader. It holds the prefetcher, so that
  /// `for await outcome in ImagePrefetcher().start(requests)` comes to the end.
  public struct Outcomes: AsyncSequence, Sendable {
    fileprivate let prefetcher: ImagePrefetcher
    fileprivate let stream: AsyncStream<Outcome>

    /// The iterator of a sequence of outcomes.
    public struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate let prefetcher: ImagePrefetcher
      fileprivate var outcomes: AsyncStream<Outcome>.Iterator

      /// The next outcome; `nil` after the last.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Outcome? {
        await outcomes.next(isolation: actor)
      }
    }

    /// Begins to read. The outcomes go to one reader.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(prefetcher: prefetcher, outcomes: stream.makeAsyncIterator())
    }
  }

  private let state: Mutex<PrefetchQueue>
  let pipeline: ImagePipeline
  private let destination: Destination

  /// Makes a prefetcher.
  ///
  /// - Parameter concurrentRequests: how many requests run at once. 2 by default.
  public init(
    pipeline: ImagePipeline = .shared, destination: Destination = .memory, concurrentRequests: Int = 2
  ) {
    self.pipeline = pipeline
    self.destination = destination
    state = Mutex(PrefetchQueue(width: max(1, concurrentRequests)))
    pipeline.idleSignal.observe(for: ObjectIdentifier(self)) { [weak self] in self?.startNext() }
  }

  deinit {
    pipeline.idleSignal.removeObserver(for: ObjectIdentifier(self))
    stopAll()
  }

  /// Starts to load requests. Requests that already run are not loaded twice; one that waits takes the higher priority of the two.
  ///
  /// - Parameter budget: the budget of these requests together.
  /// - Returns: the outcome of each request, in the order in which they end; the sequence ends with the last. If it is
  ///   dropped, the loads continue as long as the prefetcher lives.
  /// - Complexity: O(requests).
  @discardableResult
  public func start(
    _ requests: [ImageRequest], budget: PrefetchBudget = PrefetchBudget()
  ) -> Outcomes {
    let (stream, continuation) = AsyncStream.makeStream(of: Outcome.self)
    let report = PrefetchReport(
      expected: requests.count, budget: budget, memory: pipeline.caches.memory, continuation)
    let overBudget = state.withLock { queue in
      for request in requests { queue.add(request, report) }
      return report.isExhausted ? queue.removeExhausted() : []
    }
    end(overBudget, .overBudget)
    startNext()
    return Outcomes(prefetcher: self, stream: stream)
  }

  /// Starts to load URLs at their own size.
  @discardableResult
  public func start(_ urls: [URL], budget: PrefetchBudget = PrefetchBudget()) -> Outcomes {
    start(urls.map { ImageRequest(url: $0) }, budget: budget)
  }

  /// Stops requests, whether they wait or run.
  public func stop(_ requests: [ImageRequest]) {
    end(state.withLock { queue in requests.compactMap { queue.remove($0.prefetchKey) } }, .stopped)
  }

  /// Stops the requests of URLs at their own size.
  public func stop(_ urls: [URL]) { stop(urls.map { ImageRequest(url: $0) }) }

  /// Stops all requests.
  public func stopAll() { stopAll(but: []) }

  func stopAll(but requests: [ImageRequest]) {
    let kept = Set(requests.map(\.prefetchKey))
    end(state.withLock { $0.removeAll(but: kept) }, .stopped)
  }

  /// While true, no request begins; running ones continue.
  public var isPaused: Bool {
    get { state.withLock { $0.isPaused } }
    set {
      state.withLock { $0.isPaused = newValue }
      startNext()
    }
  }

  /// The number of requests that wait or run.
  public var count: Int { state.withLock { $0.count } }

  private func end(_ entries: [PrefetchQueue.Entry], _ ending: Ending) {
    for entry in entries {
      entry.task?.cancel()
      let outcome = Outcome(request: entry.request, ending: ending, downloadedByteCount: 0)
      for report in entry.reports { report.add(outcome) }
    }
    if !entries.isEmpty { startNext() }
  }

  private func startNext() {
    // Queued work of normal priority goes first; the idle signal calls this function again.
    while state.withLock({ $0.isReady }), pipeline.context.runner.isIdle,
      let (id, request) = state.withLock({ $0.takeNext() })
    {
      let task = Task.detached(priority: .utility) { [weak self, pipeline, destination] in
        let end = await PrefetchEnd.load(request, to: destination, by: pipeline)
        self?.finish(id, request, end)
      }
      let isWanted = state.withLock { $0.setTask(task, for: id) }
      if !isWanted { task.cancel() }
    }
  }

  private func finish(_ id: SlotID, _ request: ImageRequest, _ end: PrefetchEnd) {
    let entry = state.withLock { $0.remove(id) }
    // A request that was started twice in one call is loaded once, and uses the budget once.
    var counted: Set<ObjectIdentifier> = []
    for report in entry?.reports ?? [] {
      let isFirst = counted.insert(ObjectIdentifier(report)).inserted
      let outcome = Outcome(
        request: request, ending: end.ending, downloadedByteCount: isFirst ? end.downloadedByteCount : 0)
      report.add(outcome, loaded: isFirst ? end.loaded : nil)
    }
    if entry?.reports.contains(where: \.isExhausted) ?? false {
      self.end(state.withLock { $0.removeExhausted() }, .overBudget)
    }
    startNext()
  }
}

struct PrefetchEnd: Sendable {
  var ending: ImagePrefetcher.Ending
  var downloadedByteCount = 0
  /// The picture that was loaded for memory, under its key there.
  var loaded: (key: ImageKey, byteCount: Int)?
}

extension PrefetchEnd {
  /// The end of the load of a request, without its place in the queue.
  fileprivate static func load(
    _ request: ImageRequest, to destination: ImagePrefetcher.Destination, by pipeline: ImagePipeline
  ) async -> PrefetchEnd {
    var request = request
    request.priority = min(request.priority, .low)
    if Task.isCancelled { return PrefetchEnd(ending: .stopped) }
    switch destination {
    case .memory:
      return await end(of: pipeline.task(for: request)) { response in
        let isNetwork = response.source == .network
        return PrefetchEnd(
          ending: .done(response.source), downloadedByteCount: isNetwork ? response.encodedByteCount : 0,
          loaded: response.source == .memory
            ? nil : (key: response.request.key, byteCount: response.picture.byteCount))
      }
    case .disk where pipeline.hasInterceptors:
      let task = ImageDataTask(request, pipeline: pipeline)
      task.run()
      // Where their bytes come from is not known. They count in full, so that no budget is exceeded.
      return await end(of: task) { PrefetchEnd(ending: .done(.original), downloadedByteCount: $0.count) }
    case .disk:
      let task = SourceTask(request, .picture, pipeline: pipeline)
      task.run()
      return await end(of: task) { fetched in
        var byteCount = 0
        if case .data(let data) = fetched.content, fetched.source == .network { byteCount = data.count }
        return PrefetchEnd(ending: .done(fetched.source), downloadedByteCount: byteCount)
      }
    }
  }

  /// Waits for a load. What a load downloads before it fails, or before it tries another source, counts too: otherwise a list of files
  /// that are no pictures would be downloaded whole, whatever the budget.
  private static func end<Asked: Answering>(
    of task: Asked, _ made: (Asked.Value) -> PrefetchEnd
  ) async -> PrefetchEnd {
    var end: PrefetchEnd
    do throws(ImageError) {
      end = made(try await task.value)
    } catch {
      end = PrefetchEnd(
        ending: .failed(error), downloadedByteCount: task.latestProgress?.receivedByteCount ?? 0)
    }
    end.downloadedByteCount += task.failedByteCount
    return end
  }
}

/// Signals low-priority work, such as prefetching, that no job of normal priority or higher waits any more.
///
/// The scheduler sends it when the last such job has left the queues. An observer must check by itself whether it may
/// begin, because the state may have changed again. One lock guards the observers. They are called on another thread,
/// because the sender may hold locks.
final class IdleSignal: Sendable {
  private let observers = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])

  /// Calls a closure at each signal, until its owner removes it.
  func observe(for owner: ObjectIdentifier, _ observer: @escaping @Sendable () -> Void) {
    observers.withLock { $0[owner] = observer }
  }

  func removeObserver(for owner: ObjectIdentifier) {
    observers.withLock { _ = $0.removeValue(forKey: owner) }
  }

  func send() {
    let all = observers.withLock { Array($0.values) }
    guard !all.isEmpty else { return }
    DispatchQueue.global().async {
      for observer in all { observer() }
    }
  }
}
