#if canImport(AppKit)
  import AppKit

  /// Calls a closure sixty times a second while it is running. A timer is used because AppKit's display links need a selector, and
  /// because no animation has more frames per second.
  @MainActor
  final class FrameClock {
    private static let interval = 1.0 / 60
    private let tick: @MainActor (Duration) -> Void
    private var timer: Timer?

    /// Makes a clock that is not running.
    init(tick: @escaping @MainActor (Duration) -> Void) {
      self.tick = tick
    }

    isolated deinit {
      timer?.invalidate()
    }

    /// Whether it is running.
    var isRunning: Bool {
      get { timer != nil }
      set { newValue ? start() : stop() }
    }

    private func start() {
      guard timer == nil else { return }
      let timer = Timer(timeInterval: Self.interval, repeats: true) { [weak self] _ in
        // The main run loop fires it, on the main actor's thread.
        MainActor.assumeIsolated { self?.tick(.seconds(CACurrentMediaTime())) }
      }
      timer.tolerance = Self.interval / 4
      // The common modes include the one in which the user scrolls.
      RunLoop.main.add(timer, forMode: .common)
      self.timer = timer
    }

    private func stop() {
      timer?.invalidate()
      timer = nil
    }
  }
#endif
