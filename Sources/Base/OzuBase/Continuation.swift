#if OZU_TSAN
  // Waiting for a continuation in builds for the thread sanitizer. A task whose continuation is resumed before the task
  // suspends goes on at once, and the runtime then does not tell the sanitizer that what the other thread did before it
  // resumed the task has happened: a false race of every value that is handed over. These functions tell it. They
  // hide those of the standard library in each file that imports this module.

  @_silgen_name("__tsan_acquire")
  private func acquire(_ address: UnsafeRawPointer)

  /// What was done before the calling task was resumed has happened. The runtime releases the task's address there.
  private func acquireTask() {
    withUnsafeCurrentTask { task in
      // One pointer to the object of the task.
      if let task { acquire(unsafeBitCast(task, to: UnsafeRawPointer.self)) }
    }
  }

  /// `_Concurrency.withCheckedContinuation`, of which the sanitizer sees the end.
  public func withCheckedContinuation<Value>(
    isolation: isolated (any Actor)? = #isolation, function: String = #function,
    _ body: (CheckedContinuation<Value, Never>) -> Void
  ) async -> sending Value {
    let value = await _Concurrency.withCheckedContinuation(
      isolation: isolation, function: function, body)
    acquireTask()
    return value
  }

  /// `_Concurrency.withUnsafeContinuation`, of which the sanitizer sees the end.
  public func withUnsafeContinuation<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: (UnsafeContinuation<Value, Never>) -> Void
  ) async -> sending Value {
    let value = await _Concurrency.withUnsafeContinuation(isolation: isolation, body)
    acquireTask()
    return value
  }
#endif
