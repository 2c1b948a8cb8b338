import OzuSynchronization

#if canImport(Darwin)
  import Darwin
  import Dispatch
#elseif canImport(Glibc)
  import Glibc
#endif

/// The system's own word on memory pressure.
///
/// On Apple platforms it is the memory pressure dispatch source. On Linux a thread of its own, started by the first
/// observer and ended with the last, waits (it does not poll by time) for two kinds of events:
///
/// - Pressure stall information (kernel 4.20; `/proc/pressure/memory` and the `memory.pressure` of the process's own
///   control group): a warning when some task waited for memory 150 ms of two seconds, critical when all did.
/// - `memory.events` of the control group (version 2): a warning when `high` rises, critical when `max` or `oom` does,
///   that is, when the group hit its limit.
///
/// What the system does not have or permit is left out silently; with nothing to wait for no thread is started.
public struct SystemMemoryPressure: MemoryPressureMonitoring {
  private let hub: PressureHub

  /// The monitor of this machine and process.
  public static let shared = SystemMemoryPressure(root: "")

  /// A monitor that finds the files of the kernel under another root and triggers at another stall, in microseconds of
  /// two seconds, for tests.
  init(root: String, stall: Int = 150_000) { hub = PressureHub(root: root, stall: stall) }

  /// How many sources of events are being waited for now; zero without observers.
  var sourceCount: Int { hub.sourceCount }

  /// Calls `handler`, on a thread of the monitor's, at each event until the observation returned goes.
  public func observe(
    _ handler: @escaping @Sendable (MemoryPressure) -> Void
  ) -> MemoryPressureObservation {
    let number = hub.add(handler)
    return MemoryPressureObservation { [hub] in hub.remove(number) }
  }
}

/// The observers, and the source that is alive while there are any. One lock guards both.
private final class PressureHub: Sendable {
  private struct State {
    var handlers: [Int: @Sendable (MemoryPressure) -> Void] = [:]
    var nextNumber = 0
    var source: PressureSource?
  }

  private let root: String
  private let stall: Int
  private let state = Mutex(State())

  init(root: String, stall: Int) {
    self.root = root
    self.stall = stall
  }

  var sourceCount: Int { state.withLock { $0.source?.count ?? 0 } }

  func add(_ handler: @escaping @Sendable (MemoryPressure) -> Void) -> Int {
    state.withLock { state in
      state.nextNumber += 1
      state.handlers[state.nextNumber] = handler
      if state.source == nil {
        state.source = PressureSource(root: root, stall: stall) { [weak self] in self?.tell($0) }
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
    // Handlers may observe and cancel: they run outside the lock.
    for handler in state.withLock({ Array($0.handlers.values) }) { handler(pressure) }
  }
}

#if canImport(Darwin)
  /// `@unchecked Sendable`: a dispatch source may be used from any thread, and the constant is all there is.
  private final class PressureSource: @unchecked Sendable {
    private let source: any DispatchSourceMemoryPressure
    let count = 1

    init(root: String, stall: Int, tell: @escaping @Sendable (MemoryPressure) -> Void) {
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
    let count: Int
    /// Closing this end of a pipe ends the thread, which closes the other. Minus one when there is no thread.
    private let bell: Int32

    init(root: String, stall: Int, tell: @escaping @Sendable (MemoryPressure) -> Void) {
      let sources = LinuxPressureSources(root: root, stall: stall)
      count = sources.count
      var ends: [Int32] = [-1, -1]
      guard !sources.isEmpty, pipe(&ends) == 0 else {
        bell = -1
        return
      }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      bell = ends[1]
      LinuxPressureThread.start(sources, bell: ends[0], tell: tell)
    }

    /// Called once.
    func end() {
      if bell >= 0 { close(bell) }
    }
  }
#else
  private final class PressureSource: Sendable {
    let count = 0
    init(root: String, stall: Int, tell: @escaping @Sendable (MemoryPressure) -> Void) {}
    func end() {}
  }
#endif
