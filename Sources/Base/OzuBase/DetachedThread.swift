#if os(Linux)
  /// Threads that nobody waits for.
  package enum DetachedThread {
    private final class Work: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs a closure on a thread of its own.
    ///
    /// - Returns: whether the system has made a thread; if not, the closure does not run.
    @discardableResult
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
      let work = Unmanaged.passRetained(Work(body))
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      defer { pthread_attr_destroy(&attributes) }
      pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
      var thread = pthread_t()
      let code = pthread_create(
        &thread, &attributes,
        { work in
          // Balances the retain above.
          if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
          return nil
        }, work.toOpaque())
      if code != 0 { work.release() }
      return code == 0
    }
  }
#endif
