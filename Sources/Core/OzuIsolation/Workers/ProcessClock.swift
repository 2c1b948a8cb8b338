#if os(Linux) && canImport(CIsolation)
  import Glibc

  /// The processor time that another process has used.
  struct ProcessClock {
    private let clock: clockid_t

    /// `nil` if the system does not provide it.
    init?(_ process: pid_t) {
      var clock = clockid_t()
      guard process > 0, clock_getcpuclockid(process, &clock) == 0 else { return nil }
      self.clock = clock
    }

    /// The time of all its threads; `nil` after it has ended.
    var time: Duration? {
      var time = timespec()
      guard clock_gettime(clock, &time) == 0 else { return nil }
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
  }
#endif
