#if canImport(Darwin)
  import Foundation

  /// Calls a closure as often as an animation asks for, for toolkits without a clock of the screen that Swift can use: AppKit's
  /// display links need a selector, and Mac Catalyst has no `UIUpdateLink`.
  @MainActor
  package final class TimerClock {
    private let tick: @MainActor (Duration) -> Void
    private let start = ContinuousClock.now
    private var timer: Timer?

    /// Makes a clock that stands still. Its times are those since it was made.
    package init(tick: @escaping @MainActor (Duration) -> Void) {
      self.tick = tick
    }

    /// How often it ticks; `nil` while it stands still.
    package var rate: FrameRate? {
      didSet {
        guard rate != oldValue else { return }
        timer?.invalidate()
        timer = rate.map(makeTimer)
      }
    }

    private func makeTimer(_ rate: FrameRate) -> Timer {
      let timer = Timer(timeInterval: rate.interval, repeats: true) { [weak self] timer in
        // The timer of a clock that was released ends itself. A `deinit` that ends it would have to be isolated, which systems
        // before macOS 15.4 and iOS 18.4 leave to a shim in the app that ends processes (swiftlang/swift#87316).
        guard let self else { return timer.invalidate() }
        // The main run loop fires it, on the main actor's thread.
        MainActor.assumeIsolated {
          // Not the time since the machine's start, which an app must give a reason for (PrivacyInfo.xcprivacy).
          self.tick(self.start.duration(to: .now))
        }
      }
      timer.tolerance = rate.interval / 4
      // The common modes include the one in which the user scrolls.
      RunLoop.main.add(timer, forMode: .common)
      return timer
    }
  }
#endif
