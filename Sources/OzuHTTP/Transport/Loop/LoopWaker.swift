#if os(Linux)
  import CCurl

  /// What wakes the thread of an I/O loop: a descriptor that becomes readable.
  ///
  /// Any thread that holds the loop's lock may use it: under it the descriptor is known to be open.
  package struct LoopWaker: Sendable {
    /// Readable once the thread has been woken.
    package let descriptor: Int32

    /// Nil when there is no descriptor left.
    package init?() {
      descriptor = ozu_eventfd()
      guard descriptor >= 0 else { return nil }
    }

    /// Ends the wait of the loop's thread, or the next one.
    package func wake() {
      ozu_eventfd_signal(descriptor)
    }

    /// Lets the thread wait again. For the thread alone.
    package static func clear(_ descriptor: Int32) {
      ozu_eventfd_clear(descriptor)
    }

    package func close() {
      ozu_eventfd_close(descriptor)
    }
  }
#endif
