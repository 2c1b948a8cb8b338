#if canImport(UIKit) && !os(watchOS)
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
      link.addAction { _, info in tick(.seconds(info.modelTime)) }
    }

    /// Whether it is running.
    var isRunning: Bool {
      get { link.isEnabled }
      set { link.isEnabled = newValue }
    }
  }
#endif
