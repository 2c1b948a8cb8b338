#if canImport(UIKit) && !(targetEnvironment(macCatalyst) || OZU_CHECK_CATALYST)
  import Ozu
  import QuartzCore
  import UIKit

  /// Calls a closure for frames of a view's screen, as often as an animation asks for. The system pauses it while the view has no
  /// window or the app is in the background.
  @MainActor
  final class FrameClock {
    private let link: UIUpdateLink

    /// Makes a clock that stands still.
    init(_ view: UIView, tick: @escaping @MainActor (Duration) -> Void) {
      link = UIUpdateLink(view: view)
      link.isEnabled = false
      link.requiresContinuousUpdates = true
      link.addAction { [weak self] link, info in
        // The system may keep the link longer than its clock.
        guard self != nil else {
          link.isEnabled = false
          return
        }
        tick(.seconds(info.modelTime))
      }
    }

    /// How often it ticks; `nil` while it stands still.
    var rate: FrameRate? {
      didSet {
        guard rate != oldValue else { return }
        if let rate {
          link.preferredFrameRateRange = CAFrameRateRange(
            minimum: Float(rate.minimum), maximum: Float(rate.preferred), preferred: Float(rate.preferred))
        }
        link.isEnabled = rate != nil
      }
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
