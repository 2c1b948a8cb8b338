import OzuBase
import OzuCaching

/// Memory pressure that a test triggers.
public final class ManualMemoryPressure: MemoryPressureMonitoring {
  private struct State {
    var nextNumber = 0
    var handlers: [Int: @Sendable (MemoryPressure) -> Void] = [:]
  }

  private let state = Mutex(State())

  /// No pressure yet.
  public init() {}

  /// The number of observers.
  public var observerCount: Int { state.withLock { $0.handlers.count } }

  /// Tells every observer, before it returns.
  public func signal(_ pressure: MemoryPressure) {
    for handler in state.withLock({ Array($0.handlers.values) }) { handler(pressure) }
  }

  /// Attaches a handler.
  public func observe(
    _ handler: @escaping @Sendable (MemoryPressure) -> Void
  ) -> MemoryPressureObservation {
    let number = state.withLock { state in
      state.nextNumber += 1
      state.handlers[state.nextNumber] = handler
      return state.nextNumber
    }
    return MemoryPressureObservation { [weak self] in
      _ = self?.state.withLock { $0.handlers.removeValue(forKey: number) }
    }
  }
}
