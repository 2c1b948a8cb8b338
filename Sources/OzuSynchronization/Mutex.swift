// Locks and atomics of the standard library, under one roof with the lock that takes their place in builds for
// the thread sanitizer. Every module imports this one instead of `Synchronization`.
@_exported import Synchronization

#if OZU_TSAN
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// Takes the place of `Synchronization.Mutex` when Ozu is built for the thread sanitizer (`-DOZU_TSAN`).
  ///
  /// On Linux the standard library waits for a contended lock inside its own binary, which is not instrumented: the
  /// sanitizer does not see that the waiter then owns the lock and reports races that are none. It knows
  /// POSIX locks. Releases are built without this file.
  public struct Mutex<Value: ~Copyable>: ~Copyable {
    // Both are allocated by `init`, freed by `deinit`, and `value` is touched only while `handle` is locked.
    private let handle: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    /// Makes an unlocked lock around a value.
    public init(_ initial: consuming sending Value) {
      handle = .allocate(capacity: 1)
      handle.initialize(to: pthread_mutex_t())
      pthread_mutex_init(handle, nil)
      value = .allocate(capacity: 1)
      value.initialize(to: initial)
    }

    deinit {
      pthread_mutex_destroy(handle)
      handle.deallocate()
      value.deinitialize(count: 1)
      value.deallocate()
    }

    /// Runs a closure with the value, alone.
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(handle)
      defer { pthread_mutex_unlock(handle) }
      return try body(&value.pointee)
    }

    /// Runs a closure with the value, unless another thread has the lock; then returns nil at once.
    public borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
      guard pthread_mutex_trylock(handle) == 0 else { return nil }
      defer { pthread_mutex_unlock(handle) }
      return try body(&value.pointee)
    }
  }

  // The lock makes it so: the value is reached by one thread at a time.
  extension Mutex: @unchecked Sendable where Value: ~Copyable {}
#endif
