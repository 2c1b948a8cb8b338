import Dispatch
import Foundation
import OzuBase
import OzuCaching

/// The times of the thread that fetches and of the one that works, in nanoseconds.
private struct Times {
  /// The time by the clock.
  var clock = 0
  /// The processor time of this thread, and the time for which it was ready and had no processor.
  var own = 0
  var queued = 0
  /// The processor time of the thread that works.
  var work = 0
}

/// Fetches random keys on a thread of its own, and keeps the longest wait of a fetch for a lock.
///
/// Where other programs use the processors, the time by the clock says little: the thread that fetches waits for a processor, and
/// so may the one that holds the lock. A wait is therefore the time for which the fetching thread slept, without the time in
/// the queue for a processor, and at most as long as the processor time that the other thread used meanwhile.
/// A lock that is held while a file is waited for is not found here: `LiveIndexTests` looks for calls of the file system under it.
final class DrillFetcher: Sendable {
  private let result = Mutex((longest: Duration.zero, count: 0))
  private let isOver = Atomic<Bool>(false)
  private let done = DispatchSemaphore(value: 0)

  /// Begins to fetch beside the work of the calling thread.
  init(_ cache: DiskCache, count: Int) {
    let work = Self.processorClock()
    Thread.detachNewThread { [self] in
      let schedule = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
      var (most, fetches) = (0, 0)
      var former = Self.times(schedule, work)
      while !isOver.load(ordering: .relaxed) {
        _ = cache.entry(forKey: CacheKey("\(Int.random(in: 0..<count))"))
        let now = Self.times(schedule, work)
        let slept = (now.clock - former.clock) - (now.own - former.own) - (now.queued - former.queued)
        most = max(most, min(slept, now.work - former.work))
        fetches += 1
        former = now
      }
      if schedule >= 0 { close(schedule) }
      result.withLock { $0 = (.nanoseconds(most), fetches) }
      done.signal()
    }
  }

  /// Ends the thread.
  ///
  /// - Returns: The longest wait, and the number of fetches.
  func end() -> (longest: Duration, count: Int) {
    isOver.store(true, ordering: .relaxed)
    done.wait()
    return result.withLock { $0 }
  }

  /// The clock of the calling thread's processor time, for other threads.
  private static func processorClock() -> clockid_t {
    #if os(Linux)
      var clock = clockid_t()
      return pthread_getcpuclockid(pthread_self(), &clock) == 0 ? clock : CLOCK_MONOTONIC
    #else
      return CLOCK_MONOTONIC
    #endif
  }

  private static func times(_ schedule: Int32, _ work: clockid_t) -> Times {
    var times = Times()
    repeat {
      times.queued = queued(schedule)
      times.clock = nanoseconds(CLOCK_MONOTONIC)
      times.own = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
      times.work = nanoseconds(work)
      // If this thread lost the processor between the clocks, they do not fit together.
    } while times.queued != queued(schedule)
    return times
  }

  private static func nanoseconds(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// The nanoseconds for which this thread was ready and had no processor: the second number of the file. Zero where
  /// the system does not say.
  private static func queued(_ schedule: Int32) -> Int {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { bytes in
      let count = schedule < 0 ? 0 : pread(schedule, bytes.baseAddress, bytes.count, 0)
      let numbers = bytes.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
      return numbers.count > 1 ? numbers[1].reduce(0) { $0 * 10 + Int($1) - 48 } : 0
    }
  }
}
