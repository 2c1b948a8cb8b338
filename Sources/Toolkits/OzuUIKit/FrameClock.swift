#if canImport(UIKit) && !(targetEnvironment(macCatalyst) || OZU_CHECK_CATALYST)
  import QuartzCore
  import UIKit

  /// Calls a closure for each frame of a view's screen while it is running. The system pauses it while the view has no window
  /// or the app is in the background.
  @MainActor
  final class FrameClock {
    private let link: UIUpdateLink

    /// Makes a clock that is not running.
    init(_ view: UIView, tick: @escaping @MainActor (Duration) -> Void) {
      link = UIUpdateLink(view: view)
      link.isEnabled = false
      link.requiresContinuousUpdates = true
      // Pictures that move do so at most every 20 ms; at 120 frames a second a screen would take more power for nothing.
      link.preferredFrameRateRange = CAFrameRateRange(minimum: 30, maximum: 60, preferred: 60)
      link.addAction { _, info in tick(.seconds(info.modelTime)) }
    }

    /// Whether it is running.
    var isRunning: Bool {
      get { link.isEnabled }
      set { link.isEnabled = newValue }
    }
  }
#elseif canImport(UIKit)
  import Ozu
  import UIKit

  /// The same for Mac Catalyst.
  typealias FrameClock = TimerClock

  extension TimerClock {
    convenience init(_ view: UIView, tick: @escaping @MainActor (Duration) -> Void) { self.init(tick: tick) }
  }
#endif
