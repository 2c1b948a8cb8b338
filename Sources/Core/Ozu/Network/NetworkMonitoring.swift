/// Reports when the network may be available again, so that loads that failed without it are tried again.
///
/// `SystemNetworkMonitor` listens to the system. Tests control the network with `ManualNetworkMonitor` of
/// `OzuTesting`.
public protocol NetworkMonitoring: Sendable {
  /// Calls a closure each time the network may be available again, until the observation is released. The call comes
  /// on any thread and outside all locks. It may come several times in a row: too often is better than not at all.
  func observe(_ onReturn: @escaping @Sendable () -> Void) -> NetworkObservation
}

/// Ends an observation when it is released.
public final class NetworkObservation: Sendable {
  private let end: @Sendable () -> Void

  /// Makes an observation.
  ///
  /// - Parameter end: called once, when it is released.
  public init(_ end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  deinit { end() }
}
