// Locks and atomics of the standard library, together with the lock that replaces them in builds for the thread
// sanitizer. Every module imports this one instead of `Synchronization`.
@_exported import Synchronization

#if OZU_TSAN
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// Replaces `Synchronization.Mutex` when Ozu is built for the thread sanitizer (`-DOZU_TSAN`).
  ///
  /// On Linux the standard library waits for a contended lock inside its own binary, which is not instrumented: the
  /// sanitizer does not see that the waiter then owns the lock, and reports false races. It does know POSIX locks.
  /// Releases are built without this type.
  public struct Mutex<Value: ~Copyable>: ~Copyable {
    // Both are allocated by `init` and freed by `deinit`, and `value` is accessed only while `handle` is locked.
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

    /// Runs a closure with the value, while no other thread has it.
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(handle)
      defer { pthread_mutex_unlock(handle) }
      return try body(&value.pointee)
    }

    /// Runs a closure with the value; returns nil at once if another thread has the lock.
    public borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
      guard pthread_mutex_trylock(handle) == 0 else { return nil }
      defer { pthread_mutex_unlock(handle) }
      return try body(&value.pointee)
    }
  }

  // The lock makes this true: one thread at a time accesses the value.
  extension Mutex: @unchecked Sendable where Value: ~Copyable {}
#endif
