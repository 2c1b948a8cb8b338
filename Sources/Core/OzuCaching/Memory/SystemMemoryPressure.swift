import OzuBase

#if canImport(Darwin)
  import Dispatch
#endif

/// The operating system's reports of memory pressure.
///
/// On Apple platforms this uses the dispatch source for memory pressure. On Linux the first observer starts a
/// thread, which ends with the last observer. The thread waits, without polling by time, for two kinds of events:
///
/// - Pressure stall information (kernel 4.20; `/proc/pressure/memory` and the `memory.pressure` of the process's
///   own control group): a warning when some task waited for memory for 150 ms within two seconds, critical when
///   all tasks did.
/// - `memory.events` of the control group (version 2): a warning when `high` rises, critical when `max` rises, that is,
///   when the group reached its limit. Both rise also when a program reads or writes many files, because the pages
///   of files fill the group; the kernel then drops those. So they count only if the rest of the group's memory
///   takes at least three quarters of the limit, or if that cannot be read. Critical also when `oom` rises.
///
/// Sources that the system does not have or does not permit are ignored silently. Without any source the thread ends.
///
/// The first two seconds after the first observer are not watched: at the end of a process the kernel waits 10 to 50 ms for each
/// trigger, longer than a program that makes one thumbnail runs, and the stalls that count are those of two seconds.
public struct SystemMemoryPressure: MemoryPressureMonitoring {
  private let hub: PressureHub

  /// The monitor of this machine and process.
  public static let shared = SystemMemoryPressure(root: "", delay: .seconds(2))

  /// A monitor for tests. It reads the kernel's files under another root, `delay` after the first observer came, and triggers at
  /// `stall` microseconds of stall in two seconds.
  init(root: String, stall: Int = 150_000, delay: Duration = .zero) {
    hub = PressureHub(root: root, stall: stall, delay: delay)
  }

  /// Whether the system is watched; not without observers.
  var isWatching: Bool { hub.isWatching }

  /// Calls `handler`, on a thread of the monitor, at each event until the returned observation is cancelled or
  /// released.
  public func observe(
    _ handler: @escaping @Sendable (MemoryPressure) -> Void
  ) -> MemoryPressureObservation {
    let number = hub.add(handler)
    return MemoryPressureObservation { [hub] in hub.remove(number) }
  }
}

/// The observers, and the event source that exists while there are observers. One lock guards both.
private final class PressureHub: Sendable {
  private struct State {
    var handlers: [Int: @Sendable (MemoryPressure) -> Void] = [:]
    var nextNumber = 0
    var source: PressureSource?
  }

  private let root: String
  private let stall: Int
  private let delay: Duration
  private let state = Mutex(State())

  init(root: String, stall: Int, delay: Duration) {
    self.root = root
    self.stall = stall
    self.delay = delay
  }

  var isWatching: Bool { state.withLock { $0.source != nil } }

  func add(_ handler: @escaping @Sendable (MemoryPressure) -> Void) -> Int {
    state.withLock { state in
      state.nextNumber += 1
      state.handlers[state.nextNumber] = handler
      if state.source == nil {
        state.source = PressureSource(root: root, stall: stall, delay: delay) { [weak self] pressure in
          self?.tell(pressure)
        }
      }
      return state.nextNumber
    }
  }

  func remove(_ number: Int) {
    let ended = state.withLock { state -> PressureSource? in
      state.handlers[number] = nil
      guard state.handlers.isEmpty else { return nil }
      defer { state.source = nil }
      return state.source
    }
    ended?.end()
  }

  private func tell(_ pressure: MemoryPressure) {
    // Handlers run outside the lock, so they may add and cancel observations.
    for handler in state.withLock({ Array($0.handlers.values) }) { handler(pressure) }
  }
}

#if canImport(Darwin)
  /// `@unchecked Sendable`: the dispatch source is constant and may be used from any thread.
  private final class PressureSource: @unchecked Sendable {
    private let source: any DispatchSourceMemoryPressure

    init(root: String, stall: Int, delay: Duration, tell: @escaping @Sendable (MemoryPressure) -> Void) {
      source = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical])
      source.setEventHandler { [weak self] in
        guard let source = self?.source else { return }
        tell(source.data.contains(.critical) ? .critical : .warning)
      }
      source.activate()
    }

    func end() { source.cancel() }
  }
#elseif os(Linux)
  private final class PressureSource: Sendable {
    /// The write end of a pipe. Closing it ends the thread, which closes the read end. -1 if there is no thread.
    private let wakePipe: Int32

    init(root: String, stall: Int, delay: Duration, tell: @escaping @Sendable (MemoryPressure) -> Void) {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else {
        wakePipe = -1
        return
      }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      wakePipe = ends[1]
      LinuxPressureThread.start(after: delay, wakePipe: ends[0], tell: tell) {
        LinuxPressureSources(root: root, stall: stall)
      }
    }

    /// Ends the thread. Called once.
    func end() {
      if wakePipe >= 0 { close(wakePipe) }
    }
  }
#endif
