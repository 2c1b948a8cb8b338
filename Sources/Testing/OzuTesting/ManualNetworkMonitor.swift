import Ozu
import OzuBase

/// A network monitor that a test controls.
public final class ManualNetworkMonitor: NetworkMonitoring {
  private struct State {
    var lastNumber = 0
    var handlers: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  /// Makes a monitor without observers.
  public init() {}

  /// The number of observers.
  public var observerCount: Int { state.withLock { $0.handlers.count } }

  /// Tells every observer that the network may be back. Returns after they were called.
  public func bringBack() {
    for handler in state.withLock({ Array($0.handlers.values) }) { handler() }
  }

  /// Attaches a handler.
  public func observe(_ onReturn: @escaping @Sendable () -> Void) -> NetworkObservation {
    let number = state.withLock { state in
      state.lastNumber += 1
      state.handlers[state.lastNumber] = onReturn
      return state.lastNumber
    }
    return NetworkObservation { [weak self] in
      _ = self?.state.withLock { $0.handlers.removeValue(forKey: number) }
    }
  }
}
