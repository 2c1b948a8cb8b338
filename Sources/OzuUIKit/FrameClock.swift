#if canImport(UIKit) && !os(watchOS)
  import UIKit

  /// The frames of a view's screen, as long as somebody needs them. The system stops it while the view has no window or
  /// the app is in the background.
  @MainActor
  final class FrameClock {
    private let link: UIUpdateLink

    /// Makes a clock that stands still.
    init(_ view: UIView, tick: @escaping @MainActor (Duration) -> Void) {
      link = UIUpdateLink(view: view)
      link.isEnabled = false
      link.requiresContinuousUpdates = true
      link.addAction { _, info in tick(.seconds(info.modelTime)) }
    }

    /// Whether it ticks.
    var isRunning: Bool {
      get { link.isEnabled }
      set { link.isEnabled = newValue }
    }
  }
#endif
