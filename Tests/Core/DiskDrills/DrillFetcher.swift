import Dispatch
import Foundation
import OzuBase
import OzuCaching

/// Looks up and fetches random keys on a thread of its own, and keeps the longest waits.
///
/// Where other programs use the processors, the time by the clock says little: the thread that fetches waits for a processor, and so
/// may the one that holds the lock. A wait is therefore the time for which the fetching thread slept, without the time in the queue
/// for a processor, and at most as long as the processor time that the working thread used meanwhile.
///
/// A lookup sleeps only for the lock of the index. A fetch also sleeps for memory and for the disk, which other programs use too.
/// A lock that is held while a file is waited for is not found here: `LiveIndexTests` looks for calls of the file system under it.
final class DrillFetcher: Sendable {
  /// The longest waits, and the number of fetches.
  struct Waits {
    var lookup = Duration.zero
    var fetch = Duration.zero
    var count = 0
  }

  private let waits = Mutex(Waits())
  private let isOver = Atomic<Bool>(false)
  private let begun = DispatchSemaphore(value: 0)
  private let done = DispatchSemaphore(value: 0)

  /// Begins to fetch beside the work of the calling thread. Returns when the first keys have been fetched: a short work would be over
  /// before the thread has a processor.
  init(_ cache: DiskCache, count: Int) {
    let work = ThreadTimes.clockOfThread()
    Thread.detachNewThread { [self] in
      let schedule = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
      var most = Waits()
      while !isOver.load(ordering: .relaxed) {
        let key = CacheKey("\(Int.random(in: 0..<count))")
        let start = ThreadTimes(schedule, work)
        _ = cache.mayContain(key)
        let middle = ThreadTimes(schedule, work)
        _ = cache.entry(forKey: key)
        most.lookup = max(most.lookup, middle.wait(since: start))
        most.fetch = max(most.fetch, ThreadTimes(schedule, work).wait(since: middle))
        most.count += 1
        if most.count == 10 { begun.signal() }
      }
      if schedule >= 0 { close(schedule) }
      waits.withLock { $0 = most }
      done.signal()
    }
    begun.wait()
  }

  /// Ends the thread.
  func end() -> Waits {
    isOver.store(true, ordering: .relaxed)
    done.wait()
    return waits.withLock { $0 }
  }
}

/// The times of the calling thread and of another one, in nanoseconds.
private struct ThreadTimes {
  private let clock: Int
  /// The processor time of this thread.
  private let own: Int
  /// The time for which this thread was ready and had no processor.
  private let queued: Int
  /// How often this thread gave up its processor to sleep.
  private let sleepCount: Int
  /// The processor time of the other thread.
  private let work: Int

  /// - Parameters:
  ///   - schedule: The file with the times of the scheduler for this thread; negative where the system has none.
  ///   - other: The clock of the other thread (`clockOfThread`).
  init(_ schedule: Int32, _ other: clockid_t) {
    while true {
      let queued = Self.queued(schedule)
      let (clock, own) = (Self.nanoseconds(CLOCK_MONOTONIC), Self.nanoseconds(CLOCK_THREAD_CPUTIME_ID))
      let (sleepCount, work) = (Self.sleepCount, Self.nanoseconds(other))
      // If this thread lost the processor between the clocks, they do not fit together.
      guard queued == Self.queued(schedule) else { continue }
      (self.clock, self.own, self.queued, self.sleepCount, self.work) = (clock, own, queued, sleepCount, work)
      return
    }
  }

  /// The wait between two moments.
  func wait(since start: Self) -> Duration {
    // Interrupts and the host of a virtual machine take time that no thread is charged for.
    guard sleepCount != start.sleepCount else { return .zero }
    let slept = (clock - start.clock) - (own - start.own) - (queued - start.queued)
    return .nanoseconds(max(0, min(slept, work - start.work)))
  }

  /// The clock of the calling thread's processor time, for other threads. Where the system has none, that of all time.
  static func clockOfThread() -> clockid_t {
    #if os(Linux)
      var clock = clockid_t()
      if pthread_getcpuclockid(pthread_self(), &clock) == 0 { return clock }
    #endif
    return CLOCK_MONOTONIC
  }

  private static func nanoseconds(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// Where the system does not count them for one thread, a number that always grows.
  private static var sleepCount: Int {
    #if os(Linux)
      var usage = rusage()
      // RUSAGE_THREAD, which Glibc's module does not have.
      getrusage(1, &usage)
      return usage.ru_nvcsw
    #else
      return Int(clock_gettime_nsec_np(CLOCK_UPTIME_RAW))
    #endif
  }

  /// The second number of the file.
  private static func queued(_ schedule: Int32) -> Int {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { bytes in
      let count = schedule < 0 ? 0 : pread(schedule, bytes.baseAddress, bytes.count, 0)
      let numbers = bytes.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
      return numbers.count > 1 ? numbers[1].reduce(0) { $0 * 10 + Int($1) - 48 } : 0
    }
  }
}
