import OzuBase

/// How short memory is.
public enum MemoryPressure: Hashable, Sendable {
  /// Memory is getting short: give back values that are cheap to make again.
  case warning
  /// The process may be killed: give back everything.
  case critical
}

/// A source of memory pressure events.
public protocol MemoryPressureMonitoring: Sendable {
  /// Calls `handler`, on any thread, at each event until the returned observation is cancelled or released.
  func observe(
    _ handler: @escaping @Sendable (MemoryPressure) -> Void
  ) -> MemoryPressureObservation
}

/// Keeps a handler attached to a monitor as long as this object exists.
public final class MemoryPressureObservation: Sendable {
  private let cancellation: Mutex<(@Sendable () -> Void)?>

  /// Makes an observation that calls `cancellation` once, when it ends.
  public init(cancellation: @escaping @Sendable () -> Void) {
    self.cancellation = Mutex(cancellation)
  }

  /// Detaches the handler. A second call has no effect.
  public func cancel() {
    let action = cancellation.withLock { action in
      defer { action = nil }
      return action
    }
    action?()
  }

  deinit { cancel() }
}
