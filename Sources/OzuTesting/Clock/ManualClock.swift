import OzuSynchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A clock that stands still until a test moves it. It tells both the date and the monotonic time, in step.
///
/// ```swift
/// let clock = ManualClock()
/// let cache = MemoryCache<String, Int>(MemoryCacheConfiguration(lifetime: .seconds(10), now: clock.now))
/// clock.advance(by: .seconds(11))
/// ```
public final class ManualClock: Sendable {
  private struct Times {
    var date: Date
    var instant: ContinuousClock.Instant
  }

  private let times: Mutex<Times>

  /// A clock that shows `date`, by default the first second of 2026.
  public init(date: Date = Date(timeIntervalSince1970: 1_767_225_600)) {
    times = Mutex(Times(date: date, instant: ContinuousClock.now))
  }

  /// The date it shows. Setting it leaves the monotonic time alone, as adjusting a wall clock does.
  public var currentDate: Date {
    get { times.withLock { $0.date } }
    set { times.withLock { $0.date = newValue } }
  }

  /// The monotonic time it shows.
  public var currentInstant: ContinuousClock.Instant { times.withLock { $0.instant } }

  /// Moves both times.
  public func advance(by duration: Duration) {
    times.withLock { times in
      let (seconds, attoseconds) = duration.components
      times.date.addTimeInterval(Double(seconds) + Double(attoseconds) * 1e-18)
      times.instant = times.instant.advanced(by: duration)
    }
  }

  /// The date, as a function to inject.
  public var date: @Sendable () -> Date {
    { self.currentDate }
  }

  /// The monotonic time, as a function to inject.
  public var now: @Sendable () -> ContinuousClock.Instant {
    { self.currentInstant }
  }
}
