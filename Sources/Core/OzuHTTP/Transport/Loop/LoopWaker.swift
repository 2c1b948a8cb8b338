#if os(Linux)
  import CCurl

  /// Wakes the thread of an I/O loop: a descriptor that becomes readable.
  ///
  /// Any thread that holds the loop's lock may use it, because the descriptor is open under the lock.
  package struct LoopWaker: Sendable {
    /// The descriptor, which is readable after the thread was woken.
    package let descriptor: Int32

    /// Nil if no descriptor is available.
    package init?() {
      descriptor = ozu_eventfd()
      guard descriptor >= 0 else { return nil }
    }

    /// Ends the current or the next wait of the loop's thread.
    package func wake() {
      ozu_eventfd_signal(descriptor)
    }

    /// Clears the signal, so that the thread can wait again. Called only by the thread.
    package static func clear(_ descriptor: Int32) {
      ozu_eventfd_clear(descriptor)
    }

    package func close() {
      ozu_eventfd_close(descriptor)
    }
  }
#endif
