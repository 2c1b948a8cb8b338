#if canImport(Darwin)
  import Foundation

  /// Calls a closure sixty times a second while it is running, for toolkits without a clock of the screen that Swift can use:
  /// AppKit's display links need a selector, and Mac Catalyst has no `UIUpdateLink`. No animation has more frames per second.
  @MainActor
  package final class TimerClock {
    private static let interval = 1.0 / 60
    private let tick: @MainActor (Duration) -> Void
    private var timer: Timer?

    /// Makes a clock that is not running. Its times are those since the machine's start.
    package init(tick: @escaping @MainActor (Duration) -> Void) {
      self.tick = tick
    }

    isolated deinit {
      timer?.invalidate()
    }

    /// Whether it is running.
    package var isRunning: Bool {
      get { timer != nil }
      set { newValue ? start() : stop() }
    }

    private func start() {
      guard timer == nil else { return }
      let timer = Timer(timeInterval: Self.interval, repeats: true) { [weak self] _ in
        // The main run loop fires it, on the main actor's thread.
        MainActor.assumeIsolated { self?.tick(.seconds(ProcessInfo.processInfo.systemUptime)) }
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
