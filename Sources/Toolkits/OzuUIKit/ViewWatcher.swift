#if canImport(UIKit)
  import Ozu
  import UIKit

  /// An invisible subview that learns about events of its superview: layout, the scale of its screen, and entering or leaving a window. In this way
  /// every view can be observed without a subclass and without swizzling.
  final class ViewWatcher: UIView, ViewWatching {
    /// Called after each layout, and each change of the scale.
    var onLayout: () -> Void = {}
    /// Called when the window may have changed, with whether there is one.
    var onVisibilityChange: (Bool) -> Void = { _ in }

    /// Puts a watcher into a view.
    init(in view: UIView) {
      super.init(frame: view.bounds)
      isUserInteractionEnabled = false
      isAccessibilityElement = false
      autoresizingMask = [.flexibleWidth, .flexibleHeight]
      view.insertSubview(self, at: 0)
      registerForTraitChanges([UITraitDisplayScale.self]) { (watcher: ViewWatcher, _) in watcher.onLayout() }
    }

    @available(*, unavailable, message: "watchers are made by the views' displays")
    required init?(coder: NSCoder) {
      nil
    }

    override func layoutSubviews() {
      super.layoutSubviews()
      onLayout()
    }

    override func didMoveToWindow() {
      super.didMoveToWindow()
      onVisibilityChange(window != nil)
    }
  }
#endif
