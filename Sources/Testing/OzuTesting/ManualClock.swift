import OzuBase

/// A clock that stands still until a test moves it. It has the date and the monotonic time, and moves both together.
///
/// ```swift
/// let clock = ManualClock()
/// let cache = MemoryCache<String, Int>(MemoryCacheConfiguration(lifetime: .seconds(10), now: clock.now))
/// clock.advance(by: .seconds(11))
/// ```
///
/// A task that sleeps by it wakes when the clock is moved far enough. `await clock.sleepers(1)` returns when a task sleeps.
public final class ManualClock: Sendable {
  private struct Times {
    var date: Date
    var instant: ContinuousClock.Instant
    var lastID = 0
    var sleepers: [Int: (until: ContinuousClock.Instant, continuation: CheckedContinuation<Bool, Never>)] =
      [:]
    var sleepCount = 0
    var observers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let times: Mutex<Times>

  /// A clock that shows `date`, by default the first second of 2026.
  public init(date: Date = Date(timeIntervalSince1970: 1_767_225_600)) {
    times = Mutex(Times(date: date, instant: ContinuousClock.now))
  }

  /// The date it shows. Setting it does not change the monotonic time, as with a wall clock that is adjusted.
  public var currentDate: Date {
    get { times.withLock { $0.date } }
    set { times.withLock { $0.date = newValue } }
  }

  /// The monotonic time it shows.
  public var currentInstant: ContinuousClock.Instant { times.withLock { $0.instant } }

  /// Moves both times, and wakes the tasks whose time has come.
  public func advance(by duration: Duration) {
    let woken = times.withLock { times in
      let (seconds, attoseconds) = duration.components
      times.date.addTimeInterval(Double(seconds) + Double(attoseconds) * 1e-18)
      let instant = times.instant.advanced(by: duration)
      times.instant = instant
      let woken = times.sleepers.filter { $0.value.until <= instant }
      for id in woken.keys { times.sleepers[id] = nil }
      return woken.values.sorted { $0.until < $1.until }.map(\.continuation)
    }
    for continuation in woken { continuation.resume(returning: true) }
  }

  /// The date, as a function to inject.
  public var date: @Sendable () -> Date {
    { self.currentDate }
  }

  /// The monotonic time, as a function to inject.
  public var now: @Sendable () -> ContinuousClock.Instant {
    { self.currentInstant }
  }

  // MARK: Sleeping

  /// Returns when the clock has been moved by a duration.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before that.
  public func sleep(for duration: Duration) async throws(CancellationError) {
    let id = times.withLock { times in
      times.lastID += 1
      return times.lastID
    }
    let isOver = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isOver, reached) = times.withLock { times -> (Bool?, [CheckedContinuation<Void, Never>]) in
          times.sleepCount += 1
          let count = times.sleepCount
          let reached = times.observers.filter { $0.count <= count }.map(\.continuation)
          times.observers.removeAll { $0.count <= count }
          // Cancelled before it slept, when the handler had no continuation to resume.
          if Task.isCancelled { return (false, reached) }
          if duration <= .zero { return (true, reached) }
          times.sleepers[id] = (times.instant.advanced(by: duration), continuation)
          return (nil, reached)
        }
        for observer in reached { observer.resume() }
        if let isOver { continuation.resume(returning: isOver) }
      }
    } onCancel: {
      let sleeper = times.withLock { $0.sleepers.removeValue(forKey: id) }
      sleeper?.continuation.resume(returning: false)
    }
    if !isOver { throw CancellationError() }
  }

  /// The number of tasks that sleep.
  public var sleeperCount: Int { times.withLock { $0.sleepers.count } }

  /// Returns when that many tasks have gone to sleep since the clock was made; tasks that woke count too.
  public func sleepers(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = times.withLock { times in
        if times.sleepCount >= count { return true }
        times.observers.append((count, continuation))
        return false
      }
      if isReached { continuation.resume() }
    }
  }
}
