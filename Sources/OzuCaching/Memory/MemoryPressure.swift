import OzuSynchronization

/// How short memory is.
public enum MemoryPressure: Hashable, Sendable {
  /// Memory runs short: give back what is easily made again.
  case warning
  /// The process may be killed: give back everything.
  case critical
}

/// Something that notices when memory runs short.
public protocol MemoryPressureMonitoring: Sendable {
  /// Calls `handler`, on any thread, at each event until the observation returned is cancelled or released.
  func observe(
    _ handler: @escaping @Sendable (MemoryPressure) -> Void
  ) -> MemoryPressureObservation
}

/// Keeps a handler attached to a monitor for as long as it lives.
public final class MemoryPressureObservation: Sendable {
  private let cancellation: Mutex<(@Sendable () -> Void)?>

  /// An observation that ends by calling `cancellation`, once.
  public init(cancellation: @escaping @Sendable () -> Void) {
    self.cancellation = Mutex(cancellation)
  }

  /// Detaches the handler. Does nothing the second time.
  public func cancel() {
    let action = cancellation.withLock { action in
      defer { action = nil }
      return action
    }
    action?()
  }

  deinit { cancel() }
}
