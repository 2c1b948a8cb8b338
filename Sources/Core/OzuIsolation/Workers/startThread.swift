#if os(Linux) && canImport(CIsolation)
  import Glibc

  /// Runs a closure on a thread of its own, without waiting for it. If no thread can be started, the closure does
  /// not run.
  func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Work: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
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
  }
#endif
