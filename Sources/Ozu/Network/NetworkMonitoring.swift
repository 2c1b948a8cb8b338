/// Tells when the network may have come back, so that what failed without it is tried again.
///
/// `SystemNetworkMonitor` listens to the system; tests bring the network back by hand (`ManualNetworkMonitor` of
/// `OzuTesting`).
public protocol NetworkMonitoring: Sendable {
  /// Calls a closure whenever the network may have come back, on any thread and under no lock, until the observation
  /// is released. It may be called several times in a row, and too often rather than not at all.
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
